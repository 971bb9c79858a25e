from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.harness.running import RunningServer
from tests.serve.shared_server import start_server


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def shared_server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """One server for the whole file, on either engine."""
    with start_server(request.param, request, tmp_path_factory) as server:
        yield server


@pytest.fixture(params=[1, 2], ids=["one process", "two workers"])
def server(request: pytest.FixtureRequest, tmp_path: Path, sqlite_url: str) -> Iterator[RunningServer]:
    """A server of this test's own, as one process and as two workers, which the test starts."""
    running = RunningServer(tmp_path / "data", sqlite_url, ("--workers", str(request.param)))
    yield running
    running.kill()
