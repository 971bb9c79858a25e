"""Writing pipelines: their status follows from their jobs and from the statuses that other systems report."""

from typing import LiteralString

from mujina.code.pipelines.rules import PipelineRef
from mujina.code.pipelines.statuses import FINISHED, Part, PartRow, combine, coverage, duration
from mujina.kernel import clock
from mujina.kernel.db.rows import Row, changed_columns, delete_row, insert_numbered, timestamps, update
from mujina.kernel.db.transaction import Tx, Value
from mujina.kernel.events import record
from mujina.kernel.permissions.actor import Actor


class PipelineRow(Row, alias="pl"):
    """A pipeline whose row is locked."""

    id: int
    project_id: int
    ref: str
    sha: str
    tag: bool
    source: str
    status: str
    user_id: int | None
    duration: int | None
    coverage: str | None
    started_at: str | None
    finished_at: str | None


async def find_or_create(tx: Tx, actor: Actor, project_id: int, on: PipelineRef, sha: str) -> int:
    """The id of the newest pipeline of the commit on the ref; if there is none, one of other systems' statuses is made.

    Concurrent callers get the same one: the caller has locked the row of the project.
    """
    newest: int | None = await tx.value(
        """SELECT max(pl.id) FROM pipelines pl
           WHERE pl.project_id = :project_id AND pl.ref = :ref AND pl.tag = :tag AND pl.sha = :sha""",
        project_id=project_id, ref=on.ref, tag=on.tag, sha=sha,
    )  # fmt: skip
    return newest or await create(tx, project_id=project_id, ref=on.ref, tag=on.tag, sha=sha, user_id=actor.id or None)


async def create(tx: Tx, *, project_id: int, **columns: Value) -> int:
    """Write a pipeline and return its id; it has no jobs yet and is announced when `refresh` first sees it."""
    [pipeline_id] = await insert_numbered(
        tx, tuple[int], "pipelines", {"project_id": project_id, **columns, **timestamps()},
        iid="next_iid('project', :project_id, 'pipeline')", returning="id",
    )  # fmt: skip
    return pipeline_id


async def delete(tx: Tx, pipeline_id: int) -> None:
    """Delete the row, and with it everything that belongs to it; 404 if another request has done so."""
    await delete_row(tx, "pipelines", "Pipeline", id=pipeline_id)


async def lock(tx: Tx, pipeline_id: int) -> PipelineRow | None:
    """The pipeline; its status and its jobs change only while its row is locked, except that a runner takes a job."""
    return await tx.row(
        PipelineRow, f"SELECT {PipelineRow.columns} FROM pipelines pl WHERE pl.id = :id FOR UPDATE", id=pipeline_id
    )


async def lock_of_job(tx: Tx, job_id: int) -> PipelineRow | None:
    """The pipeline of a job, as `lock`."""
    return await tx.row(
        PipelineRow,
        f"""SELECT {PipelineRow.columns} FROM pipelines pl
            WHERE pl.id = (SELECT j.pipeline_id FROM pipeline_jobs j WHERE j.id = :job_id) FOR UPDATE OF pl""",
        job_id=job_id,
    )


_PARTS: LiteralString = """
    SELECT j.status, j.allow_failure, j.coverage, j.started_at, j.finished_at FROM pipeline_jobs j
    WHERE j.pipeline_id = :id AND NOT j.retried
    UNION ALL
    SELECT s.state, FALSE, s.coverage, s.started_at, s.finished_at FROM commit_statuses s
    WHERE s.pipeline_id = :id AND NOT s.retried"""


async def refresh(tx: Tx, actor: Actor, pipeline_id: int) -> None:
    """Compute the pipeline from its latest parts, and record a change of its status. What is unchanged is not written."""
    pipeline = await lock(tx, pipeline_id)
    if pipeline is None:
        return
    parts = await tx.rows(Part, f"SELECT DISTINCT s.status, s.allow_failure FROM ({_PARTS}) s", id=pipeline_id)
    await set_status(tx, actor, pipeline, combine(set(parts)))


async def fail(tx: Tx, actor: Actor, pipeline_id: int) -> None:
    """End a pipeline that has no jobs because of an error."""
    pipeline = await lock(tx, pipeline_id)
    if pipeline is not None:
        await set_status(tx, actor, pipeline, "failed")


async def set_status(tx: Tx, actor: Actor, pipeline: PipelineRow, status: str) -> None:
    """Write what its parts come to, and record a change of its status. What is unchanged is not written."""
    now = clock.now()
    columns: dict[str, Value] = {"status": status}
    if status == "running" and pipeline.started_at is None:
        columns["started_at"] = now
    if status in FINISHED or pipeline.source == "external":
        parts = await tx.rows(PartRow, f"SELECT {PartRow.columns} FROM ({_PARTS}) s", id=pipeline.id)
        started = [part.started_at for part in parts if part.started_at is not None]
        columns |= {
            "duration": duration(parts),
            "coverage": coverage(parts),
            "started_at": pipeline.started_at or min(started, default=None),
        }
    if status != pipeline.status:
        columns["finished_at"] = now if status in FINISHED else None
    changed = changed_columns(pipeline, columns)
    if changed:
        written = {name: value for name, value in columns.items() if name in changed}
        await update(tx, "pipelines", {**written, "updated_at": now}, id=pipeline.id)
    if status != pipeline.status:
        await _announce(tx, actor, pipeline, status)


async def _announce(tx: Tx, actor: Actor, pipeline: PipelineRow, status: str) -> None:
    created = pipeline.status == "created"
    await record(
        tx, "pipeline.created" if created else "pipeline.updated", actor, subject_id=pipeline.id,
        project_id=pipeline.project_id,
        changes={
            "status": (None if created else pipeline.status, status), "ref": pipeline.ref, "sha": pipeline.sha,
            "tag": pipeline.tag, "source": pipeline.source, "fixed": status == "success" and await _fixes(tx, pipeline),
        },
    )  # fmt: skip


async def _fixes(tx: Tx, pipeline: PipelineRow) -> bool:
    """Whether the pipeline of the ref before this one failed."""
    before = await tx.value(
        """SELECT pl.status FROM pipelines pl WHERE pl.project_id = :project_id AND pl.ref = :ref AND pl.tag = :tag
           AND pl.id < :id AND pl.status IN ('success', 'failed') ORDER BY pl.id DESC LIMIT 1""",
        project_id=pipeline.project_id, ref=pipeline.ref, tag=pipeline.tag, id=pipeline.id,
    )  # fmt: skip
    return before == "failed"
