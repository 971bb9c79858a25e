"""What happens to the statuses of commits."""

from typing import Any, Final, LiteralString
from urllib.parse import urlsplit

import msgspec

from mujina.code.commit_statuses.params import SetStatus, State
from mujina.kernel import clock, errors
from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import Problems
from mujina.kernel.events import record

MAX_LENGTH: Final = 255
DEFAULT_NAME: Final = "default"
OPEN: Final = ("pending", "running")

STEPS: Final[dict[State, tuple[str, tuple[str, ...]]]] = {
    "pending": ("enqueue", ()),
    "running": ("run", ("pending",)),
    "success": ("success", OPEN),
    "failed": ("drop", OPEN),
    "canceled": ("cancel", OPEN),
}
"""How each state is entered, and from which others; a status that is new may be in any."""


class Standing(msgspec.Struct, array_like=True, frozen=True):
    """The status that speaks for a commit under one name."""

    id: int
    state: State


async def report(tx: Tx, actor: Actor, project_id: int, sha: str, ref: str, change: SetStatus) -> int:
    """The commit has this status on the ref, under its name: the one that is not over moves on, else a new one begins."""
    name = change.name or change.context or DEFAULT_NAME
    _check(name, ref, change)
    # Two reports of one name take turns.
    await tx.value("SELECT p.id FROM projects p WHERE p.id = :id FOR UPDATE OF p", id=project_id)
    place = {"project_id": project_id, "sha": sha, "ref": ref, "name": name}
    standing = await tx.row(
        Standing, f"SELECT s.id, s.state FROM commit_statuses s WHERE {_PLACE} AND NOT s.retried", **place
    )
    if standing is not None and standing.state in OPEN:
        await _move_on(tx, actor, project_id, standing, change)
        return standing.id
    if standing is not None:
        await tx.run("UPDATE commit_statuses SET retried = TRUE WHERE id = :id", id=standing.id)
    return await _begin(tx, actor, place, change)


_PLACE: LiteralString = "s.project_id = :project_id AND s.sha = :sha AND s.ref = :ref AND s.name = :name"


async def _begin(tx: Tx, actor: Actor, place: dict[str, Any], change: SetStatus) -> int:
    now = clock.now()
    status_id: int = await tx.value(
        """
        INSERT INTO commit_statuses (project_id, sha, ref, name, state, target_url, description, coverage, author_id,
            created_at, started_at, finished_at)
        VALUES (:project_id, :sha, :ref, :name, :state, :target_url, :description, :coverage, :author_id, :now,
            :started_at, :finished_at)
        RETURNING id
        """,
        **place, **_said(change, now), author_id=actor.id, now=now,
    )  # fmt: skip
    await record(
        tx, "commit_status.created", actor, subject_id=status_id, project_id=place["project_id"],
        changes={"state": (None, change.state), "sha": (None, place["sha"]), "name": (None, place["name"])},
    )  # fmt: skip
    return status_id


async def _move_on(tx: Tx, actor: Actor, project_id: int, standing: Standing, change: SetStatus) -> None:
    """What was said before and is not said now stays."""
    step, before = STEPS[change.state]
    if standing.state not in before:
        raise errors.bad_request(
            f"Cannot transition status via :{step} from :{standing.state} "
            f'(Reason(s): Status cannot transition via "{step}")'
        )
    await tx.run(
        """
        UPDATE commit_statuses SET state = :state, target_url = coalesce(:target_url, target_url),
            description = coalesce(:description, description), coverage = coalesce(:coverage, coverage),
            started_at = coalesce(:started_at, started_at), finished_at = :finished_at
        WHERE id = :id
        """,
        id=standing.id, **_said(change, clock.now()),
    )  # fmt: skip
    await record(
        tx, "commit_status.updated", actor, subject_id=standing.id, project_id=project_id,
        changes={"state": (standing.state, change.state)},
    )  # fmt: skip


def _said(change: SetStatus, now: str) -> dict[str, str | None]:
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
    if change.target_url and not _is_address(change.target_url):
        problems.add("target_url", "must be a valid URL")
    problems.refuse()


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)
