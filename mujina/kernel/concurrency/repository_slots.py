"""How many requests of one project run git and then write rows, at the same time and in one process.

More of them at once finish no sooner: their git processes compete with the event loop, so that the transaction that has the
counter of the project keeps it for longer, and the others wait for it with a connection each. A request that waits here has
neither a connection nor a lock.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Final

from mujina.kernel import errors
from mujina.kernel.concurrency.fair_semaphore import FairSemaphore

PER_PROJECT: Final = 3
"""One less than the transactions of one project may use of the connections (`PostgresPool`): one is left for the others."""
MAX_WAIT_SECONDS: Final = 60
_MANY: Final = 1_000_000

_slots = FairSemaphore(_MANY, per_key=PER_PROJECT)


@asynccontextmanager
async def repository_slot(project_id: int) -> AsyncGenerator[None]:
    """A slot of the project for as long as the block runs, in the order of the requests; 503 if none becomes free in time."""
    key = str(project_id)
    try:
        async with asyncio.timeout(MAX_WAIT_SECONDS if _slots.full(key) else None):
            await _slots.acquire(key)
    except TimeoutError:
        raise errors.overloaded() from None
    try:
        yield
    finally:
        _slots.release(key)
