"""A server in the testing mode, on either engine, which each test finds reset."""

from collections.abc import Iterator

import pytest

from mujina.testing.client import Mujina
from tests.harness.running import TOKEN, RunningServer

ENGINES = ["sqlite"]


@pytest.fixture(scope="module", params=ENGINES)
def testing_server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """One server for the whole file."""
    server = RunningServer(tmp_path_factory.mktemp("testing") / "data", "", ("--testing",))
    server.start()
    yield server
    server.kill()


@pytest.fixture
def instance(testing_server: RunningServer) -> Mujina:
    instance = Mujina(testing_server.url, TOKEN)
    instance.seed({})
    return instance
