"""Reports of the statuses of commits."""

from typing import Any, Final, LiteralString

from mujina.code.commit_statuses.params import SetStatus, State
from mujina.code.pipelines import operations as pipelines
from mujina.code.pipelines.rules import PipelineRef
from mujina.kernel import clock, errors
from mujina.kernel.db.rows import Row, insert_id
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import Problems
from mujina.kernel.events import record
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.urls import has_host

MAX_LENGTH: Final = 255
DEFAULT_NAME: Final = "default"
OPEN: Final = ("pending", "running")

STEPS: Final[dict[State, tuple[str, tuple[str, ...]]]] = {
    "pending": ("enqueue", ()),
    "running": ("run", ("pending",)),
    "success": ("success", OPEN),
    "failed": ("drop", OPEN),
    "canceled": ("cancel", OPEN),
    "skipped": ("skip", OPEN),
}
"""The transition into each state, and the states it starts from; a new status may have any state."""


class LatestStatus(Row, alias="s"):
    """The latest status of a commit under one name."""

    id: int
    state: State
    pipeline_id: int


async def report(tx: Tx, actor: Actor, project_id: int, sha: str, on: PipelineRef, change: SetStatus) -> int:
    """Update the unfinished status of this name on the ref, or create a new one; its pipeline follows.

    A new one belongs to the pipeline that the report names, which is one of the ref, else to the newest.
    """
    name = change.name or change.context or DEFAULT_NAME
    _check(name, on.ref, change)
    # Concurrent reports of one name run one after another.
    await tx.value("SELECT p.id FROM projects p WHERE p.id = :id FOR UPDATE OF p", id=project_id)
    key = {"project_id": project_id, "sha": sha, "ref": on.ref, "tag": on.tag, "name": name}
    latest = await tx.row(
        LatestStatus, f"SELECT {LatestStatus.columns} FROM commit_statuses s WHERE {_KEY} AND NOT s.retried", **key
    )
    if latest is not None and latest.state in OPEN:
        await _update(tx, actor, key, latest, change)
        await pipelines.refresh(tx, actor, latest.pipeline_id)
        return latest.id
    if latest is not None:
        await tx.run("UPDATE commit_statuses SET retried = TRUE WHERE id = :id", id=latest.id)
    pipeline_id = change.pipeline_id or await pipelines.find_or_create(tx, actor, project_id, on, sha)
    status_id = await _create(tx, actor, {**key, "pipeline_id": pipeline_id}, change, retries=latest is not None)
    await pipelines.refresh(tx, actor, pipeline_id)
    return status_id


_KEY: LiteralString = "s.project_id = :project_id AND s.sha = :sha AND s.ref = :ref AND s.tag = :tag AND s.name = :name"


async def _create(tx: Tx, actor: Actor, key: dict[str, Any], change: SetStatus, *, retries: bool) -> int:
    now = clock.now()
    status_id: int = await insert_id(
        tx, "commit_statuses", author_id=actor.id, created_at=now, **key, **_columns(change, now)
    )
    await record(
        tx, "commit_status.created", actor, subject_id=status_id, project_id=key["project_id"],
        changes={"state": (None, change.state), "retries": (None, retries), **_key_values(key)},
    )  # fmt: skip
    return status_id


async def _update(tx: Tx, actor: Actor, key: dict[str, Any], latest: LatestStatus, change: SetStatus) -> None:
    """Fields that the report leaves out keep their values."""
    step, before = STEPS[change.state]
    if latest.state not in before:
        raise errors.bad_request(
            f"Cannot transition status via :{step} from :{latest.state} "
            f'(Reason(s): Status cannot transition via "{step}")'
        )
    await tx.run(
        """
        UPDATE commit_statuses SET state = :state, target_url = coalesce(:target_url, target_url),
            description = coalesce(:description, description), coverage = coalesce(:coverage, coverage),
            started_at = coalesce(:started_at, started_at), finished_at = :finished_at
        WHERE id = :id
        """,
        id=latest.id,
        **_columns(change, clock.now()),
    )
    await record(
        tx, "commit_status.updated", actor, subject_id=latest.id, project_id=key["project_id"],
        changes={"state": (latest.state, change.state), **_key_values(key)},
    )  # fmt: skip


def _key_values(key: dict[str, Any]) -> dict[str, tuple[None, str | bool]]:
    return {name: (None, key[name]) for name in ("sha", "ref", "tag", "name")}


def _columns(change: SetStatus, now: str) -> dict[str, str | None]:
    return {
        "state": change.state,
        "target_url": change.target_url or None,
        "description": change.description or None,
        "coverage": str(change.coverage) if isinstance(change.coverage, float) else None,
        "started_at": now if change.state == "running" else None,
        "finished_at": None if change.state in OPEN else now,
    }


def _check(name: str, ref: str, change: SetStatus) -> None:
    problems = Problems()
    problems.limit("name", name, MAX_LENGTH)
    problems.limit("ref", ref, MAX_LENGTH)
    problems.limit("description", change.description or None, MAX_LENGTH)
    problems.limit("target_url", change.target_url or None, MAX_LENGTH)
    if change.target_url and not has_host(change.target_url):
        problems.add("target_url", "must be a valid URL")
    problems.refuse()
