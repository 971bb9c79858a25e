from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.backups.places import Api, Place
from tests.backups.small_instance import SmallInstance, make_instance
from tests.harness.databases import PostgresDatabases
from tests.harness.object_store import ObjectStore, object_store
from tests.harness.running import RunningServer
from tests.serve.shared_server import start_server


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def filled_server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """A server with a project that has a repository, a wiki, an upload and issues; one for the whole file, on either engine."""
    with start_server(request.param, request, tmp_path_factory) as server:
        Api(server).fill()
        yield server


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


@pytest.fixture
def instance(tmp_path: Path, sqlite_schema: str) -> SmallInstance:
    """An instance with one backup."""
    instance = make_instance(tmp_path, sqlite_schema)
    assert instance.backup().code == 0
    return instance


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ObjectStore]:
    """A store for the buckets of the whole file."""
    with object_store(tmp_path_factory.mktemp("bucket") / "store") as store:
        yield store
