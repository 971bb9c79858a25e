from collections.abc import Iterator

import pytest

from tests.harness.running import RunningServer
from tests.serve.shared_server import start_server


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def shared_server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """One server for the whole file, on either engine."""
    with start_server(request.param, request, tmp_path_factory) as server:
        yield server
