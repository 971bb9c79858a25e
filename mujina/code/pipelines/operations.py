"""Pipelines that follow from the statuses of commits."""

from datetime import datetime
from itertools import pairwise
from typing import Final

from mujina.kernel import clock
from mujina.kernel.db.rows import Row, insert_numbered, timestamps, update
from mujina.kernel.db.transaction import Tx, Value
from mujina.kernel.events import record
from mujina.kernel.permissions.actor import Actor

FINISHED: Final = ("success", "failed", "canceled", "skipped")


class PipelineRow(Row, alias="pl"):
    """A pipeline that a status belongs to."""

    id: int
    project_id: int
    ref: str
    sha: str
    status: str
    started_at: str | None


class PartRow(Row, alias="s"):
    """A status that counts in its pipeline."""

    state: str
    coverage: float | None
    started_at: str | None
    finished_at: str | None


async def find_or_create(tx: Tx, actor: Actor, project_id: int, ref: str, sha: str) -> int:
    """The id of the newest pipeline of the commit on the ref; if there is none, one of other systems' statuses is made.

    Concurrent callers get the same one: the caller has locked the row of the project.
    """
    newest: int | None = await tx.value(
        """SELECT max(pl.id) FROM pipelines pl
           WHERE pl.project_id = :project_id AND pl.ref = :ref AND pl.sha = :sha""",
        project_id=project_id, ref=ref, sha=sha,
    )  # fmt: skip
    return newest or await create(tx, project_id=project_id, ref=ref, sha=sha, user_id=actor.id or None)


async def create(tx: Tx, *, project_id: int, **columns: Value) -> int:
    """Write a pipeline and return its id; it has no jobs yet and is announced when `refresh` first sees it."""
    [pipeline_id] = await insert_numbered(
        tx, tuple[int], "pipelines", {"project_id": project_id, **columns, **timestamps()},
        iid="next_iid('project', :project_id, 'pipeline')", returning="id",
    )  # fmt: skip
    return pipeline_id


async def refresh(tx: Tx, actor: Actor, pipeline_id: int) -> None:
    """Compute the pipeline from its latest statuses, and record a change of its status."""
    pipeline = await tx.row(
        PipelineRow, f"SELECT {PipelineRow.columns} FROM pipelines pl WHERE pl.id = :id FOR UPDATE", id=pipeline_id
    )
    parts = await tx.rows(
        PartRow,
        f"SELECT {PartRow.columns} FROM commit_statuses s WHERE s.pipeline_id = :id AND NOT s.retried",
        id=pipeline_id,
    )
    if pipeline is None:
        return
    status, now = combined({part.state for part in parts}), clock.now()
    started = [part.started_at for part in parts if part.started_at is not None]
    await update(
        tx,
        "pipelines",
        {
            "status": status, "updated_at": now, "duration": duration(parts), "coverage": _coverage(parts),
            "started_at": pipeline.started_at or min(started, default=None),
            "finished_at": now if status in FINISHED else None,
        },
        id=pipeline.id,
    )  # fmt: skip
    if status != pipeline.status:
        created = pipeline.status == "created"
        await record(
            tx, "pipeline.created" if created else "pipeline.updated", actor, subject_id=pipeline.id,
            project_id=pipeline.project_id,
            changes={
                "status": (None if created else pipeline.status, status), "ref": pipeline.ref, "sha": pipeline.sha,
            },
        )  # fmt: skip


def combined(states: set[str]) -> str:
    """Combines the states of the latest statuses into the state of the pipeline."""
    match sorted(states - {"skipped"}):
        case []:
            return "skipped"
        case [only]:
            return only
        case ["canceled", "success"]:
            return "canceled"
        case _:
            return "running" if states & {"pending", "running"} else "failed"


def duration(parts: list[PartRow]) -> int | None:
    """The seconds in which at least one finished status was running; None if none of them ran."""
    spans = sorted(
        (datetime.fromisoformat(part.started_at), datetime.fromisoformat(part.finished_at))
        for part in parts
        if part.started_at and part.finished_at
    )
    if not spans:
        return None
    total, (start, end) = 0.0, spans[0]
    for _, (later, until) in pairwise(spans):
        if later > end:
            total += (end - start).total_seconds()
            start, end = later, until
        end = max(end, until)
    return round(total + (end - start).total_seconds())


def _coverage(parts: list[PartRow]) -> str | None:
    """The mean of what the statuses report."""
    covered = [part.coverage for part in parts if part.coverage is not None]
    return f"{sum(covered) / len(covered):.2f}" if covered else None
