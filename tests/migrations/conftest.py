import shutil

import pytest

from mujina.migrations import revisions
from tests.harness.databases import in_transaction


@pytest.fixture
def run(loop):
    return loop.run_until_complete


@pytest.fixture
def second_url(engine, request, tmp_path):
    if engine == "sqlite":
        yield f"sqlite:///{tmp_path / 'second.db'}"
        return
    postgres = request.getfixturevalue("postgres")
    url = postgres.create()
    yield url
    postgres.drop(url)


@pytest.fixture
def do(database_url):
    """Run one statement on the database; its first value."""
    return lambda statement: in_transaction(database_url, lambda tx: tx.value(statement))


@pytest.fixture
def add_revision(tmp_path, monkeypatch):
    """Add a revision of this text to a copy of the known ones, which this process reads from now on."""
    folder = tmp_path / "versions"
    shutil.copytree(revisions.VERSIONS, folder)

    def add(text, number="9000"):
        for engine in ("sqlite", "postgres"):
            (folder / f"{number}_more.{engine}.sql").write_text(text)
        monkeypatch.setattr(revisions, "VERSIONS", folder)

    return add
