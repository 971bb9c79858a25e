"""The keyed queue: at most one row per (task, key), wanted in the transaction of the change, so no want is ever lost.

A row is taken under a lease, and deleted once its task has run, unless it was wanted again meanwhile: then it runs again.
Everything but `enqueue` passes by rows that others have locked: no request ever waits in a circle with the queue.
"""

from collections.abc import Collection, Sequence
from datetime import timedelta
from typing import Final, Literal, LiteralString

import msgspec

from mujina.kernel import clock
from mujina.kernel.db.transaction import Tx
from mujina.kernel.jobs import wakes


class Job(msgspec.Struct, array_like=True, frozen=True):
    """One (task, key) a runner has taken."""

    id: int
    task: str
    key: str
    attempts: int
    """Runs begun since the last good one, this one counted."""
    abandoned: bool
    """Its last run ended without a word: the process died, or lost touch with the database."""


class Outcome(msgspec.Struct, frozen=True):
    """How one run of a job ended."""

    job: Job
    verdict: Literal["done", "failed", "released"]
    error: str | None = None
    retry_at: str = ""
    hopeless: bool = False
    """Failed for the last time: to be parked."""


async def enqueue(tx: Tx, task: str, key: str | int, *, after: timedelta = timedelta(0)) -> None:
    """Once the transaction commits, the task will run for this key: at least once, and never beside itself.

    Wants that meet are answered by one run, at the earliest of their times: a task that finds some of its work not
    yet due wants itself again with `after`. A transaction that wants several keys does so in sorted order, and before
    it writes the rows the task will read: the ids of those are then in the order of the commits.
    """
    await tx.run(WANT[tx.engine], task=task, key=str(key), at=clock.later(after), now=clock.now())
    tx.after_commit(wakes.ring)


_WANT = """
    INSERT INTO jobs (task, key, wanted, ready_at, created_at) VALUES (:task, :key, 1, :at, :now)
    ON CONFLICT (task, key) DO UPDATE SET
        wanted = jobs.wanted + 1,
        parked_at = NULL,
        ready_at = CASE WHEN jobs.leased_by IS NULL AND jobs.attempts = 0 AND excluded.ready_at < jobs.ready_at
                        THEN excluded.ready_at ELSE jobs.ready_at END,
        again_at = CASE WHEN jobs.leased_by IS NULL THEN NULL
                        WHEN jobs.again_at < excluded.ready_at THEN jobs.again_at ELSE excluded.ready_at END
"""

WANT: Final[dict[str, LiteralString]] = {
    "sqlite": _WANT,
    # The news of it leaves with the commit, and in the same breath.
    "postgres": f"WITH want AS ({_WANT} RETURNING 1) SELECT pg_notify('{wakes.CHANNEL}', '') FROM want",
}


async def next_at(tx: Tx, tasks: Collection[str], *, besides: Collection[int] = ()) -> str | None:
    """When the next job of these tasks will be ready; None when nothing waits."""
    return await tx.value(
        """
        SELECT ready_at FROM jobs WHERE parked_at IS NULL AND task IN :tasks AND id NOT IN :besides
        ORDER BY ready_at LIMIT 1
        """,
        tasks=list(tasks), besides=list(besides),
    )  # fmt: skip


async def take(
    tx: Tx, runner: str, tasks: Collection[str], *, limit: int, until: str, besides: Collection[int] = ()
) -> list[Job]:
    """At most `limit` jobs that are ready, now leased to `runner`: first ready, first taken.

    `besides` are those it is running: should their leases have run out, it must not run them a second time.
    """
    jobs = await tx.rows(
        Job,
        """
        SELECT id, task, key, attempts + 1, leased_by IS NOT NULL FROM jobs
        WHERE ready_at <= :now AND parked_at IS NULL AND task IN :tasks AND id NOT IN :besides
        ORDER BY ready_at LIMIT :limit FOR UPDATE SKIP LOCKED
        """,
        now=clock.now(), tasks=list(tasks), besides=list(besides), limit=limit,
    )  # fmt: skip
    if jobs:
        await tx.run(
            """
            UPDATE jobs SET leased_by = :runner, ready_at = :until, attempts = attempts + 1, wanted = 0, again_at = NULL
            WHERE id IN :ids
            """,
            runner=runner, until=until, ids=[job.id for job in jobs],
        )  # fmt: skip
    return jobs


async def renew(tx: Tx, runner: str, ids: Collection[int], *, until: str) -> set[int]:
    """The jobs among `ids` that `runner` has lost; the leases of the others are extended."""
    free = await tx.values(LOCK, ids=list(ids), runner=runner)
    await tx.run("UPDATE jobs SET ready_at = :until WHERE id IN :ids", until=until, ids=free)
    return await _lost(tx, runner, set(ids) - set(free))


async def _lost(tx: Tx, runner: str, ids: Collection[int]) -> set[int]:
    """Those that are not only locked by a request that wants them, but no longer leased to `runner`."""
    if not ids:
        return set()
    kept = await tx.values("SELECT id FROM jobs WHERE id IN :ids AND leased_by = :runner", ids=list(ids), runner=runner)
    return set(ids) - set(kept)


LOCK = "SELECT id, again_at IS NOT NULL FROM jobs WHERE id IN :ids AND leased_by = :runner FOR UPDATE SKIP LOCKED"


class Held(msgspec.Struct, array_like=True, frozen=True):
    id: int
    again: bool


async def settle(tx: Tx, runner: str, outcomes: Collection[Outcome]) -> set[int]:
    """The jobs `runner` need not think of any more: their outcome is written, or they are somebody else's by now."""
    ids = {outcome.job.id for outcome in outcomes}
    again = {row.id: row.again for row in await tx.rows(Held, LOCK, ids=list(ids), runner=runner)}
    ours = [outcome for outcome in outcomes if outcome.job.id in again]
    done = [outcome.job.id for outcome in ours if outcome.verdict == "done"]
    await _finish(tx, [id for id in done if not again[id]])
    await _run_again(tx, [id for id in done if again[id]])
    await _release(tx, [outcome.job.id for outcome in ours if outcome.verdict == "released"])
    for outcome in ours:
        if outcome.verdict == "failed":
            await _fail(tx, outcome, park=outcome.hopeless and not again[outcome.job.id])
    return set(again) | await _lost(tx, runner, ids - set(again))


async def _finish(tx: Tx, ids: Sequence[int]) -> None:
    if ids:
        await tx.run("DELETE FROM jobs WHERE id IN :ids", ids=ids)


async def _run_again(tx: Tx, ids: Sequence[int]) -> None:
    if ids:
        await tx.run(
            """
            UPDATE jobs SET leased_by = NULL, ready_at = again_at, again_at = NULL, attempts = 0, last_error = NULL
            WHERE id IN :ids
            """,
            ids=ids,
        )


async def _release(tx: Tx, ids: Sequence[int]) -> None:
    """Given back unfinished by a runner that stops: ready at once, and no attempt is counted."""
    if ids:
        await tx.run(
            """
            UPDATE jobs SET leased_by = NULL, ready_at = :now, again_at = NULL, attempts = attempts - 1, wanted = wanted + 1
            WHERE id IN :ids
            """,
            now=clock.now(), ids=ids,
        )  # fmt: skip


async def _fail(tx: Tx, outcome: Outcome, *, park: bool) -> None:
    await tx.run(
        """
        UPDATE jobs SET leased_by = NULL, ready_at = :retry_at, again_at = NULL, wanted = wanted + 1,
            last_error = :error, parked_at = :parked_at
        WHERE id = :id
        """,
        retry_at=outcome.retry_at, error=outcome.error, parked_at=clock.now() if park else None, id=outcome.job.id,
    )  # fmt: skip
