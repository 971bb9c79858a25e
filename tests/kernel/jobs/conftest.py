"""A house with the queue's tables in it, on either engine."""

import asyncio
import io
from collections.abc import Callable, Coroutine, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
import structlog

from mujina.kernel import logs
from mujina.kernel.house import House
from tests.kernel.jobs.post_office import build, opened

Story = Coroutine[Any, Any, None]


@pytest.fixture(autouse=True)
def log() -> Iterator[io.StringIO]:
    """Where the lines about failing jobs go."""
    lines = io.StringIO()
    logs.configure("json", "info", to=lines)
    yield lines
    structlog.reset_defaults()


@pytest.fixture
def house(loop: asyncio.AbstractEventLoop, database_url: str, tmp_path: Path) -> Iterator[House]:
    """A house with nothing in it; its data folder is the world outside."""
    loop.run_until_complete(build(database_url))
    stack = AsyncExitStack()
    house = loop.run_until_complete(stack.enter_async_context(opened(database_url, tmp_path)))
    yield house
    loop.run_until_complete(stack.aclose())


@pytest.fixture
def tell(loop: asyncio.AbstractEventLoop) -> Callable[[Story], None]:
    """Run a story to its end; one that hangs fails."""
    return lambda story: loop.run_until_complete(asyncio.wait_for(story, 120))
