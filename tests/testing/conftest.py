"""A server in the testing mode, on either engine, which each test finds reset."""

from collections.abc import Iterator

import pytest

from mujina.testing.client import Mujina
from tests.harness.databases import PostgresDatabases
from tests.harness.running import TOKEN, RunningServer


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def testing_server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """One server for the whole file."""
    databases: PostgresDatabases | None = request.getfixturevalue("postgres") if request.param == "postgres" else None
    url = databases.create() if databases else ""
    server = RunningServer(tmp_path_factory.mktemp("testing") / "data", url, ("--testing",))
    server.start()
    yield server
    server.kill()
    if databases:
        databases.drop(url)


@pytest.fixture
def instance(testing_server: RunningServer) -> Mujina:
    instance = Mujina(testing_server.url, TOKEN)
    instance.seed({})
    return instance
