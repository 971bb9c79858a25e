"""One running server for all tests of a file that leave each other alone."""

import shutil
from collections.abc import Generator
from contextlib import contextmanager

import pytest

from tests.harness.databases import PostgresDatabases
from tests.harness.running import RunningServer


@contextmanager
def start_server(
    engine: str, request: pytest.FixtureRequest, folders: pytest.TempPathFactory
) -> Generator[RunningServer]:
    """The real program on this engine, from an empty folder and a database without rows."""
    folder = folders.mktemp("shared")
    schema: str = request.getfixturevalue(f"{engine}_schema")
    databases: PostgresDatabases | None = request.getfixturevalue("postgres") if engine == "postgres" else None
    if databases:
        url = databases.create(schema)
    else:
        url = f"sqlite:///{shutil.copyfile(schema.removeprefix('sqlite:///'), folder / 'mujina.db')}"
    server = RunningServer(folder / "data", url)
    server.start()
    yield server
    server.sweep_metrics()
    server.kill()
    if databases:
        databases.drop(server.database_url)
