"""Moving a pipeline on: the jobs whose turn it is start, and the pipeline's status follows."""

from datetime import timedelta
from typing import Annotated, LiteralString

from mujina.ci.jobs.states import JobState, advance, may_start
from mujina.code.pipelines import operations as pipelines
from mujina.code.pipelines.operations import PipelineRow
from mujina.code.pipelines.statuses import Part, combine
from mujina.kernel import clock
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx, Value
from mujina.kernel.jobs.queue import enqueue
from mujina.kernel.permissions.actor import Actor

_LATEST: LiteralString = "FROM pipeline_jobs j WHERE j.pipeline_id = :pipeline_id AND NOT j.retried"


class PipelinePart(Row, alias="d"):
    """The state of some of the latest jobs of a stage, or of statuses that other systems report, which have no stage."""

    stage_index: int | None
    status: str
    allow_failure: bool
    needing: Annotated[bool, f"EXISTS (SELECT 1 {_LATEST} AND j.status = 'created' AND j.needs IS NOT NULL)"]
    """Whether a created job of the pipeline waits for jobs that it names."""


_PARTS: LiteralString = f"""SELECT {PipelinePart.columns} FROM (
        SELECT DISTINCT j.stage_index, j.status, j.allow_failure {_LATEST}
        UNION ALL
        SELECT DISTINCT CAST(NULL AS bigint), s.state, FALSE FROM commit_statuses s
        WHERE s.pipeline_id = :pipeline_id AND NOT s.retried) d"""


async def process(tx: Tx, actor: Actor, pipeline: PipelineRow) -> None:
    """Start or skip every job whose turn it is, and compute the pipeline's status.

    The caller has locked the row of the pipeline, so concurrent changes of its jobs come one after the other. Rows that
    do not change are not written, and while no job's turn has come, no job is read.
    """
    parts = await tx.rows(PipelinePart, _PARTS, pipeline_id=pipeline.id)
    jobs = [(part.stage_index, part.status, part.allow_failure) for part in parts if part.stage_index is not None]
    states = {(part.status, part.allow_failure) for part in parts}
    if any(part.needing for part in parts) or may_start(jobs):
        reported = {(part.status, part.allow_failure) for part in parts if part.stage_index is None}
        states = reported | await _start_jobs(tx, pipeline.id)
    await pipelines.set_status(tx, actor, pipeline, combine(states))


async def _start_jobs(tx: Tx, pipeline_id: int) -> set[Part]:
    """Start or skip every job whose turn it is; what the jobs of the pipeline are then."""
    jobs = await tx.rows(JobState, f"SELECT {JobState.columns} {_LATEST}", pipeline_id=pipeline_id)
    moved = advance(jobs)
    for status in ("pending", "manual", "skipped"):
        await _set_status(tx, [job_id for job_id, new in moved.items() if new == status], status)
    for job in sorted(jobs, key=lambda job: job.id):
        if moved.get(job.id) == "scheduled":
            await _schedule(tx, job)
    return {(moved.get(job.id, job.status), job.allow_failure) for job in jobs}


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
        id=job.id,
        at=clock.later(wait),
        now=clock.now(),
    )
    await enqueue(tx, "pipeline_jobs.start_delayed", job.id, after=wait)
