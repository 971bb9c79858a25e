"""Failed jobs, as operators list and retry them."""

import msgspec

from mujina.kernel import clock
from mujina.kernel.db.transaction import Tx
from mujina.kernel.jobs.queue import enqueue


class FailedJob(msgspec.Struct, array_like=True, frozen=True):
    """A job whose last run failed."""

    task: str
    key: str
    attempts: int
    last_error: str
    enqueued: int
    ready_at: str
    parked_at: str | None
    """None: it will be tried again at `ready_at`."""


async def failed_jobs(tx: Tx) -> list[FailedJob]:
    """Every job that failed and has not succeeded since, parked jobs first."""
    return await tx.rows(
        FailedJob,
        """
        SELECT task, key, attempts, last_error, enqueued, ready_at, parked_at FROM jobs WHERE last_error IS NOT NULL
        ORDER BY parked_at NULLS LAST, ready_at, task, key
        """,
    )


async def retry(tx: Tx, task: str, key: str | int) -> bool:
    """Try a failed job at once, with all its attempts again; False if there is none that is not running."""
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
