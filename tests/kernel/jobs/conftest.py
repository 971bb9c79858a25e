"""Services with the queue's tables in it, on either engine."""

import asyncio
import io
from collections.abc import Callable, Coroutine, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from mujina.kernel.monitoring import logs
from mujina.kernel.services import Services
from tests.harness.databases import PostgresDatabases
from tests.harness.watching import log_restored
from tests.kernel.jobs.post_office import build, opened

Story = Coroutine[Any, Any, None]


@pytest.fixture(autouse=True)
def log() -> Iterator[io.StringIO]:
    """Where the lines about failing jobs go."""
    lines = io.StringIO()
    with log_restored():
        logs.configure("json", "info", to=lines)
        yield lines


@pytest.fixture(scope="session")
def template(loop: asyncio.AbstractEventLoop, postgres: PostgresDatabases, postgres_schema: str) -> str:
    """What each test on PostgreSQL has a copy of."""
    url = postgres.create(postgres_schema)
    loop.run_until_complete(build(url))
    return url


@pytest.fixture
def postgres_url(postgres: PostgresDatabases, template: str) -> Iterator[str]:
    """A PostgreSQL database of this test's own, with the outbox in it."""
    url = postgres.create(template)
    yield url
    postgres.drop(url)


@pytest.fixture
def database_url(engine: str, request: pytest.FixtureRequest) -> str:
    """A database of this test's own with our tables in it."""
    return request.getfixturevalue(f"{engine}_url")


@pytest.fixture
def services(loop: asyncio.AbstractEventLoop, database_url: str, tmp_path: Path) -> Iterator[Services]:
    """Services with nothing in it; its data folder is the world outside."""
    if database_url.startswith("sqlite"):
        loop.run_until_complete(build(database_url))
    stack = AsyncExitStack()
    services = loop.run_until_complete(stack.enter_async_context(opened(database_url, tmp_path)))
    yield services
    loop.run_until_complete(stack.aclose())


@pytest.fixture
def tell(loop: asyncio.AbstractEventLoop) -> Callable[[Story], None]:
    """Run a story to its end; one that hangs fails."""
    return lambda story: loop.run_until_complete(asyncio.wait_for(story, 120))
