import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.backups.places import Api, Place
from tests.harness.databases import PostgresDatabases
from tests.harness.running import RunningServer


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def filled_server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """A server with a project that has a repository, a wiki, an upload and issues; one for the whole file, on either engine."""
    folder = tmp_path_factory.mktemp("backed-up")
    schema: str = request.getfixturevalue(f"{request.param}_schema")
    if request.param == "postgres":
        databases: PostgresDatabases = request.getfixturevalue("postgres")
        url = databases.create(schema)
    else:
        url = f"sqlite:///{shutil.copyfile(schema.removeprefix('sqlite:///'), folder / 'mujina.db')}"
    server = RunningServer(folder / "data", url)
    server.start()
    Api(server).fill()
    yield server
    server.kill()
    if request.param == "postgres":
        databases.drop(url)


@pytest.fixture
def place(filled_server: RunningServer, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Place]:
    """An empty target, and an empty place to restore to."""
    databases: PostgresDatabases | None = None
    if filled_server.database_url.startswith("postgres"):
        databases = request.getfixturevalue("postgres")
        url = databases.create()
    else:
        url = f"sqlite:///{tmp_path / 'restored' / 'mujina.db'}"
    place = Place(filled_server, tmp_path / "target", tmp_path / "restored", url)
    yield place
    if databases:
        databases.drop(url)
