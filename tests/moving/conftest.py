from collections.abc import Iterator

import pytest

from tests.harness.running import RunningServer
from tests.moving.world import World


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """The source of all tests here: they add to it, and take nothing away."""
    folder = tmp_path_factory.mktemp("source")
    server = RunningServer(folder / "data", f"sqlite:///{folder / 'mujina.db'}")
    server.start()
    yield World(server)
    server.kill()
