"""Fixtures every test may ask for. What they stand on is in `tests/harness/`."""

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.harness.databases import PostgresDatabases
from tests.harness.postgres_server import shared_server
from tests.harness.stage import PostgresStage, SqliteStage, Stage


@pytest.fixture(scope="session")
def loop() -> Iterator[asyncio.AbstractEventLoop]:
    """The one event loop of this process: whatever is opened in one test can be used in the next."""
    with asyncio.Runner() as runner:
        yield runner.get_loop()


@pytest.fixture(scope="session")
def worker() -> str:
    """The name of this process among the workers of the run."""
    return os.environ.get("PYTEST_XDIST_WORKER", "alone")


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory, worker: str) -> Iterator[PostgresDatabases]:
    """A real PostgreSQL, shared by all workers of the run, to make databases in."""
    own = tmp_path_factory.getbasetemp()
    meeting: Path = own if worker == "alone" else own.parent
    with shared_server(meeting) as url:
        yield PostgresDatabases(url, worker)


@pytest.fixture
def postgres_url(postgres: PostgresDatabases) -> Iterator[str]:
    """An empty PostgreSQL database of this test's own."""
    url = postgres.create()
    yield url
    postgres.drop(url)


@pytest.fixture(params=["sqlite", "postgres"])
def engine(request: pytest.FixtureRequest) -> str:
    """The name of the engine; a test that asks for it, or for anything that stands on it, runs on both."""
    return request.param


@pytest.fixture(scope="session")
def _sqlite_stage(tmp_path_factory: pytest.TempPathFactory, loop: asyncio.AbstractEventLoop) -> Stage:
    return SqliteStage(tmp_path_factory.mktemp("stage"), loop)


@pytest.fixture(scope="session")
def _postgres_stage(postgres: PostgresDatabases, loop: asyncio.AbstractEventLoop) -> Stage:
    return PostgresStage(postgres, loop)


@pytest.fixture
def stage(engine: str, request: pytest.FixtureRequest) -> Stage:
    """The prepared database of the engine, to be copied."""
    return request.getfixturevalue(f"_{engine}_stage")


@pytest.fixture
def database_url(engine: str, request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of an empty database of this test's own, on either engine."""
    if engine == "postgres":
        return request.getfixturevalue("postgres_url")
    return f"sqlite:///{tmp_path / 'mujina.db'}"
