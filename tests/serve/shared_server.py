"""One running server for all tests of a file that leave each other alone."""

from collections.abc import Generator
from contextlib import contextmanager

import pytest

from tests.harness.databases import PostgresDatabases
from tests.harness.running import RunningServer


@contextmanager
def start_server(
    engine: str, request: pytest.FixtureRequest, folders: pytest.TempPathFactory
) -> Generator[RunningServer]:
    """The real program on this engine, from an empty folder."""
    folder = folders.mktemp("shared")
    databases: PostgresDatabases | None = request.getfixturevalue("postgres") if engine == "postgres" else None
    server = RunningServer(folder / "data", databases.create() if databases else f"sqlite:///{folder}/mujina.db")
    server.start()
    yield server
    server.sweep_metrics()
    server.kill()
    if databases:
        databases.drop(server.database_url)
