"""Moving a pipeline on: the jobs whose turn it is start, and the pipeline's status follows."""

from datetime import timedelta
from typing import LiteralString

from mujina.ci.jobs.states import JobState, advance, may_start
from mujina.code.pipelines import operations as pipelines
from mujina.kernel import clock
from mujina.kernel.db.transaction import Tx, Value
from mujina.kernel.jobs.queue import enqueue
from mujina.kernel.permissions.actor import Actor

_LATEST: LiteralString = "FROM pipeline_jobs j WHERE j.pipeline_id = :pipeline_id AND NOT j.retried"


async def process(tx: Tx, actor: Actor, pipeline_id: int) -> None:
    """Start or skip every job whose turn it is, and compute the pipeline's status.

    The row of the pipeline is locked until the transaction ends, so concurrent changes of its jobs come one after the
    other. Rows that do not change are not written, and while no job's turn has come, no job is read.
    """
    if await pipelines.lock(tx, pipeline_id) is None:
        return
    if await _may_start(tx, pipeline_id):
        jobs = await tx.rows(JobState, f"SELECT {JobState.columns} {_LATEST}", pipeline_id=pipeline_id)
        by_id = {job.id: job for job in jobs}
        moved = advance(jobs)
        for status in ("pending", "manual", "skipped"):
            await _set_status(tx, [job_id for job_id, new in moved.items() if new == status], status)
        for job_id in sorted(job_id for job_id, new in moved.items() if new == "scheduled"):
            await _schedule(tx, by_id[job_id])
    await pipelines.refresh(tx, actor, pipeline_id)


async def _may_start(tx: Tx, pipeline_id: int) -> bool:
    waits: LiteralString = f"SELECT 1 {_LATEST} AND j.status = 'created' AND j.needs IS NOT NULL LIMIT 1"
    if await tx.value(waits, pipeline_id=pipeline_id) is not None:
        return True
    parts = await tx.rows(
        tuple[int, str, bool],
        f"SELECT DISTINCT j.stage_index, j.status, j.allow_failure {_LATEST}",
        pipeline_id=pipeline_id,
    )
    return may_start(parts)


async def _set_status(tx: Tx, job_ids: list[int], status: str) -> None:
    if not job_ids:
        return
    now = clock.now()
    queued_at: Value = now if status == "pending" else None
    await tx.run(
        "UPDATE pipeline_jobs SET status = :status, queued_at = :queued_at, updated_at = :now WHERE id IN :ids",
        status=status, queued_at=queued_at, now=now, ids=sorted(job_ids),
    )  # fmt: skip


async def _schedule(tx: Tx, job: JobState) -> None:
    """A delayed job waits; a task of the instance starts it."""
    wait = timedelta(seconds=job.start_in or 0)
    await tx.run(
        "UPDATE pipeline_jobs SET status = 'scheduled', scheduled_at = :at, updated_at = :now WHERE id = :id",
        id=job.id, at=clock.later(wait), now=clock.now(),
    )  # fmt: skip
    await enqueue(tx, "pipeline_jobs.start_delayed", job.id, after=wait)
