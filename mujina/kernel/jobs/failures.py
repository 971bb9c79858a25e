"""Failed jobs, as operators list and retry them."""

from typing import LiteralString

import msgspec

from mujina.kernel import clock
from mujina.kernel.db.sql.selection import Selection, ascending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.jobs.queue import enqueue
from mujina.kernel.lists.pages import load_rows


class ListedJob(msgspec.Struct, array_like=True, frozen=True):
    """A job as operators see it."""

    task: str
    key: str
    attempts: int
    last_error: str | None
    """None: its last run has not failed."""
    running: bool
    ready_at: str
    parked_at: str | None
    """None: it will be tried again at `ready_at`."""


_COLUMNS: LiteralString = "task, key, attempts, last_error, leased_by IS NOT NULL, ready_at, parked_at"
_ORDER = ascending("parked_at IS NULL", "parked_at", "ready_at", "task", "key")
"""Parked jobs first."""


async def failed_jobs(tx: Tx) -> list[ListedJob]:
    """Every job that failed and has not succeeded since, parked jobs first."""
    return await tx.rows(ListedJob, f"SELECT {_COLUMNS} FROM jobs WHERE last_error IS NOT NULL ORDER BY {_ORDER.text}")


async def list_failed(tx: Tx, page: Page) -> Paged[ListedJob]:
    """One page of them."""
    failed = Selection("jobs", "last_error IS NOT NULL")
    return await load_rows(tx, ListedJob, failed, _ORDER, page, columns=_COLUMNS)


async def all_jobs(tx: Tx) -> list[ListedJob]:
    """Every job that failed, waits or runs."""
    return await tx.rows(ListedJob, f"SELECT {_COLUMNS} FROM jobs ORDER BY {_ORDER.text}")


async def retry(tx: Tx, task: str, key: str | int) -> bool:
    """Try a failed job at once, with all its attempts again; False if there is none that is not running."""
    found = await tx.run(
        """
        UPDATE jobs SET attempts = 0, ready_at = :now
        WHERE task = :task AND key = :key AND leased_by IS NULL AND last_error IS NOT NULL
        """,
        task=task,
        key=str(key),
        now=clock.now(),
    )
    if found:
        await enqueue(tx, task, key)
    return found > 0


async def delete(tx: Tx, task: str, key: str) -> bool:
    """Give up a failed job: what it was to do stays undone. False if there is none that is not running."""
    deleted = await tx.run(
        "DELETE FROM jobs WHERE task = :task AND key = :key AND leased_by IS NULL AND last_error IS NOT NULL",
        task=task,
        key=key,
    )
    return deleted > 0
