"""The keyed queue: at most one row per (task, key), enqueued in the transaction of the change, so no job is ever lost.

A row is taken under a lease. It is deleted once its task has run, unless it was enqueued meanwhile: then it runs again.
A transaction that waits here for a row holds no other lock: the queue cannot deadlock with requests.
"""

from collections.abc import Collection, Mapping
from datetime import timedelta
from typing import Final, Literal, LiteralString

import msgspec

from mujina.kernel import clock
from mujina.kernel.db.transaction import Tx
from mujina.kernel.jobs import wakeups


class Job(msgspec.Struct, array_like=True, frozen=True):
    """One (task, key) that a runner has taken."""

    id: int
    task: str
    key: str
    attempts: int
    """Runs started since the last success, this one included."""
    abandoned: bool
    """Its last run has no outcome: the process died or lost the connection to the database."""
    owner_id: int
    """The user it is for; 0 for the instance."""


class Capacity(msgspec.Struct, frozen=True):
    """The jobs that a runner may take now."""

    tasks: list[str]
    """The tasks that may start another job."""
    full: list[str]
    """`task:owner_id` of each user who may not have another job of that task."""
    free: int
    """How many jobs may start."""


class JobOutcome(msgspec.Struct, frozen=True):
    """How one run of a job ended: `done`; `failed`, or `parked` after the last attempt; `released` unfinished."""

    job: Job
    verdict: Literal["done", "failed", "parked", "released"]
    error: str | None = None
    retry_at: str = ""


async def enqueue(
    tx: Tx, task: str, key: str | int, *, owner_id: int | None = None, after: timedelta = timedelta(0)
) -> None:
    """Once the transaction commits, the task will run for this key: at least once, and never twice at a time.

    It takes a slot of the user `owner_id`; None for work of the instance.

    One run serves all calls before it, at the earliest of their times: a task that finds some of its work not yet due
    enqueues itself again with `after`. A transaction enqueues several keys in sorted order, and before it writes the
    rows that the task will read: the ids of those rows are then in the order of the commits.
    """
    job = {"task": task, "key": str(key), "owner_id": owner_id or 0, "at": clock.later(after), "now": clock.now()}
    await tx.run_each(ENQUEUE[tx.engine], [job])
    tx.after_commit(wakeups.notify_runners)


async def run_now(tx: Tx, task: str) -> None:
    """Let the jobs of this task run now that wait for their first run."""
    await tx.run(
        """
        UPDATE jobs SET ready_at = :now WHERE id IN (
            SELECT id FROM jobs WHERE task = :task AND ready_at > :now AND leased_by IS NULL AND attempts = 0
            ORDER BY id FOR UPDATE SKIP LOCKED)
        """,
        task=task,
        now=clock.now(),
    )


_ENQUEUE = """
    INSERT INTO jobs (task, key, owner_id, enqueued, ready_at, created_at)
    VALUES (:task, :key, :owner_id, 1, :at, :now)
    ON CONFLICT (task, key) DO UPDATE SET
        enqueued = jobs.enqueued + 1,
        parked_at = NULL,
        ready_at = CASE WHEN jobs.leased_by IS NULL AND jobs.attempts = 0 AND excluded.ready_at < jobs.ready_at
                        THEN excluded.ready_at ELSE jobs.ready_at END,
        again_at = CASE WHEN jobs.leased_by IS NULL THEN NULL
                        WHEN jobs.again_at < excluded.ready_at THEN jobs.again_at ELSE excluded.ready_at END
"""

ENQUEUE: Final[dict[str, LiteralString]] = {
    "sqlite": _ENQUEUE,
    # The notification is part of the statement and is sent with the commit.
    "postgres": f"WITH enqueued AS ({_ENQUEUE} RETURNING 1) SELECT pg_notify('{wakeups.CHANNEL}', '') FROM enqueued",
}


_WAITING = """
    parked_at IS NULL AND task IN :tasks AND task || ':' || owner_id NOT IN :full AND id NOT IN :besides
"""


async def next_at(tx: Tx, capacity: Capacity, *, besides: Collection[int]) -> str | None:
    """When the next job that may start will be ready; None when none waits."""
    return await tx.value(
        f"SELECT ready_at FROM jobs WHERE {_WAITING} ORDER BY ready_at LIMIT 1",
        tasks=capacity.tasks,
        full=capacity.full,
        besides=list(besides),
    )


READY: Final = f"""
    SELECT id, task, key, attempts + 1, leased_by IS NOT NULL, owner_id FROM jobs
    WHERE ready_at <= :now AND {_WAITING}
    ORDER BY ready_at LIMIT :limit FOR UPDATE
"""


async def lock_ready(tx: Tx, capacity: Capacity, besides: Collection[int] = ()) -> list[Job]:
    """As many jobs as may start, of those that are ready and not locked: first ready, first taken.

    `besides` are the jobs the runner has already: it must not run them twice, even if their leases have expired.
    """
    return await tx.rows(
        Job, READY + " SKIP LOCKED",
        now=clock.now(), tasks=capacity.tasks, full=capacity.full, besides=list(besides), limit=capacity.free,
    )  # fmt: skip


async def wait_for_ready(tx: Tx, capacity: Capacity, besides: Collection[int]) -> list[Job]:
    """The job that has been ready for longest, once its row is unlocked: a key that requests keep enqueueing gets its
    turn too.
    """
    return await tx.rows(
        Job, READY, now=clock.now(), tasks=capacity.tasks, full=capacity.full, besides=list(besides), limit=1
    )


async def lease(tx: Tx, runner: str, until: str, jobs: list[Job]) -> None:
    """Lease jobs whose rows this transaction has locked."""
    if jobs:
        await tx.run(
            """
            UPDATE jobs SET leased_by = :runner, ready_at = :until, attempts = attempts + 1, enqueued = 0, again_at = NULL
            WHERE id IN :ids
            """,
            runner=runner,
            until=until,
            ids=[job.id for job in jobs],
        )


async def renew(tx: Tx, runner: str, ids: Collection[int], until: str) -> set[int]:
    """Extend the leases of jobs that `runner` still has and whose rows are not locked; the ids of these jobs."""
    return set(
        await tx.values(
            """
            UPDATE jobs SET ready_at = :until WHERE id IN (
                SELECT id FROM jobs WHERE id IN :ids AND leased_by = :runner ORDER BY id FOR UPDATE SKIP LOCKED
            ) RETURNING id
            """,
            until=until,
            ids=list(ids),
            runner=runner,
        )
    )


async def wait_and_renew(tx: Tx, runner: str, id: int, until: str) -> bool:
    """Whether `runner` still has the job, once its row is unlocked; its lease is then extended."""
    changed = await tx.run(
        "UPDATE jobs SET ready_at = :until WHERE id = :id AND leased_by = :runner", until=until, id=id, runner=runner
    )
    return changed == 1


class _LeasedJob(msgspec.Struct, array_like=True, frozen=True):
    id: int
    again: bool
    """It was enqueued while it ran."""


LEASED: Final = "SELECT id, again_at IS NOT NULL FROM jobs WHERE id IN :ids AND leased_by = :runner FOR UPDATE"


async def record_outcomes(tx: Tx, runner: str, outcomes: Collection[JobOutcome]) -> list[JobOutcome]:
    """Record outcomes; those that are returned belong to jobs that are locked, or that `runner` no longer has."""
    ids = [outcome.job.id for outcome in outcomes]
    ours = await tx.rows(_LeasedJob, LEASED + " SKIP LOCKED", ids=ids, runner=runner)
    return await _record(tx, {row.id: row.again for row in ours}, outcomes)


async def wait_and_record(tx: Tx, runner: str, outcome: JobOutcome) -> None:
    """Record one outcome once its row is unlocked; nothing is recorded if `runner` no longer has the job."""
    ours = await tx.rows(_LeasedJob, LEASED, ids=[outcome.job.id], runner=runner)
    await _record(tx, {row.id: row.again for row in ours}, [outcome])


async def _record(tx: Tx, again: Mapping[int, bool], outcomes: Collection[JobOutcome]) -> list[JobOutcome]:
    ours = [outcome for outcome in outcomes if outcome.job.id in again]
    done = [outcome.job.id for outcome in ours if outcome.verdict == "done"]
    if finished := [id for id in done if not again[id]]:
        await tx.run("DELETE FROM jobs WHERE id IN :ids", ids=finished)
    if unfinished := [id for id in done if again[id]]:
        await tx.run(RUN_AGAIN, ids=unfinished)
    for outcome in ours:
        if outcome.verdict == "released":
            await tx.run(RELEASE, id=outcome.job.id, now=clock.now())
        elif outcome.verdict != "done":
            # A job that was enqueued during its last attempt is not parked.
            parked_at = clock.now() if outcome.verdict == "parked" and not again[outcome.job.id] else None
            await tx.run(FAIL, id=outcome.job.id, at=outcome.retry_at, error=outcome.error, parked_at=parked_at)
    return [outcome for outcome in outcomes if outcome.job.id not in again]


RUN_AGAIN: Final = """
    UPDATE jobs SET leased_by = NULL, ready_at = again_at, again_at = NULL, attempts = 0, last_error = NULL
    WHERE id IN :ids
"""
RELEASE: Final = """
    UPDATE jobs SET leased_by = NULL, ready_at = :now, again_at = NULL, attempts = attempts - 1, enqueued = enqueued + 1
    WHERE id = :id
"""
FAIL: Final = """
    UPDATE jobs SET leased_by = NULL, ready_at = :at, again_at = NULL, enqueued = enqueued + 1,
        last_error = :error, parked_at = :parked_at
    WHERE id = :id
"""
