"""What operators see of jobs in trouble, and what they can do about it."""

import msgspec

from mujina.kernel import clock
from mujina.kernel.db.transaction import Tx
from mujina.kernel.jobs.queue import enqueue


class Trouble(msgspec.Struct, array_like=True, frozen=True):
    """A job whose last run failed."""

    task: str
    key: str
    attempts: int
    last_error: str
    wanted: int
    ready_at: str
    parked_at: str | None
    """None: it will be tried again at `ready_at`."""


async def troubled(tx: Tx) -> list[Trouble]:
    """Every job that failed and has not run well since, those given up first."""
    return await tx.rows(
        Trouble,
        """
        SELECT task, key, attempts, last_error, wanted, ready_at, parked_at FROM jobs WHERE last_error IS NOT NULL
        ORDER BY parked_at NULLS LAST, ready_at, task, key
        """,
    )


async def retry(tx: Tx, task: str, key: str | int) -> bool:
    """A job in trouble is tried at once, with all its attempts before it; whether there was one that is not running."""
    found = await tx.run(
        """
        UPDATE jobs SET attempts = 0, ready_at = :now
        WHERE task = :task AND key = :key AND leased_by IS NULL AND last_error IS NOT NULL
        """,
        task=task, key=str(key), now=clock.now(),
    )  # fmt: skip
    if found:
        await enqueue(tx, task, key)
    return found > 0
