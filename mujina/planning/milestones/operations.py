"""What happens to milestones."""

from typing import Any, LiteralString

from mujina.kernel import clock, errors
from mujina.kernel.actor import Actor
from mujina.kernel.db.errors import UniqueViolation
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import Problems
from mujina.kernel.events import record
from mujina.kernel.owners import Owner
from mujina.kernel.params import UNSET
from mujina.kernel.text import fold
from mujina.planning.milestones.params import CreateMilestone, EditMilestone, MilestoneChange
from mujina.planning.milestones.rules import MilestoneRow

LONGEST = 255
TAKEN = "already being used for another group or project milestone."


async def create(tx: Tx, actor: Actor, holder: Owner, change: CreateMilestone) -> int:
    """A new milestone; its title is not used by another one of the project or of a group above or below."""
    columns = _BLANK | _columns(change) | {"title": change.title.strip()}
    await _check(tx, holder, columns, 0)
    try:
        milestone_id: int = await tx.value(
            """
            INSERT INTO milestones (iid, project_id, group_id, title, title_folded, description, description_folded,
                start_on, due_on, created_at, updated_at)
            VALUES (next_iid(:owner, :owner_id, 'milestone'), :project_id, :group_id, :title, :title_folded,
                :description, :description_folded, :start_on, :due_on, :now, :now)
            RETURNING id
            """,
            owner=holder.kind, owner_id=holder.id, now=clock.now(),
            **_folded(columns), **columns, **holder.bound,
        )  # fmt: skip
    except UniqueViolation:
        raise errors.invalid({"title": [TAKEN]}) from None
    changes = {name: (None, value) for name, value in columns.items()}
    await _record(tx, "milestone.created", actor, holder, milestone_id, changes)
    return milestone_id


async def edit(tx: Tx, actor: Actor, holder: Owner, milestone: MilestoneRow, change: EditMilestone) -> None:
    """Apply the change and record it, old and new values."""
    columns = _columns(change)
    if change.title is not UNSET:
        columns["title"] = change.title.strip()
    before: dict[str, Any] = {name: getattr(milestone, name) for name in (*_BLANK, "title", "state")}
    await _check(tx, holder, before | columns, milestone.id)
    columns |= _state(milestone.state, change)
    setters: list[LiteralString] = ["updated_at = :now", *(_SETTERS[name] for name in columns)]
    try:
        await tx.run(
            f"UPDATE milestones SET {', '.join(setters)} WHERE id = :id",
            id=milestone.id, now=clock.now(), **_folded(columns), **columns,
        )  # fmt: skip
    except UniqueViolation:
        raise errors.invalid({"title": [TAKEN]}) from None
    changes = {name: (before.get(name), value) for name, value in columns.items() if before.get(name) != value}
    match columns.get("state"):
        case "closed":
            await _record(tx, "milestone.closed", actor, holder, milestone.id, changes)
        case "active":
            await _record(tx, "milestone.activated", actor, holder, milestone.id, changes)
        case _:
            await _record(tx, "milestone.updated", actor, holder, milestone.id, changes)


async def remove(tx: Tx, actor: Actor, holder: Owner, milestone: MilestoneRow) -> None:
    """Its issues have none from now on."""
    await tx.run("DELETE FROM milestones WHERE id = :id", id=milestone.id)
    await _record(tx, "milestone.deleted", actor, holder, milestone.id, {"title": (milestone.title, None)})


async def usable(tx: Tx, project: Owner, milestone_id: int) -> int | None:
    """The milestone, if it belongs to the project or to a group above it; otherwise none."""
    return await tx.value(
        f"SELECT ms.id FROM milestones ms WHERE ms.id = :id AND {_USABLE} FOR KEY SHARE",
        id=milestone_id,
        **project.bound,
    )


async def usable_of_title(tx: Tx, project: Owner, title: str) -> int | None:
    """The milestone of this title, the project's own before those of the groups above it; otherwise none."""
    return await tx.value(
        f"SELECT ms.id FROM milestones ms WHERE ms.title = :title AND {_USABLE} ORDER BY ms.project_id NULLS LAST",
        title=title,
        **project.bound,
    )


_USABLE: LiteralString = """(ms.project_id = :project_id OR ms.group_id IN
    (SELECT t.ancestor_id FROM group_tree t WHERE t.group_id = :namespace_id))"""

_BLANK: dict[str, Any] = {"description": None, "start_on": None, "due_on": None}

_SETTERS: dict[str, LiteralString] = {
    "title": "title = :title, title_folded = :title_folded",
    "description": "description = :description, description_folded = :description_folded",
    "start_on": "start_on = :start_on",
    "due_on": "due_on = :due_on",
    "state": "state = :state",
    "closed_at": "closed_at = :closed_at",
}

_NAMES = {"start_date": "start_on", "due_date": "due_on"}


def _columns(change: MilestoneChange) -> dict[str, Any]:
    """The plain columns a request sets, by the names they have in the table."""
    given = {_NAMES.get(name, name): value for name, value in change.given().items()}
    return {name: value for name, value in given.items() if name in _BLANK}


def _folded(columns: dict[str, Any]) -> dict[str, str]:
    return {f"{name}_folded": fold(columns[name] or "") for name in ("title", "description") if name in columns}


def _state(state: str, change: EditMilestone) -> dict[str, str | None]:
    """Closing the closed and activating the active change nothing."""
    if change.state_event == "close" and state == "active":
        return {"state": "closed", "closed_at": clock.now()}
    if change.state_event == "activate" and state == "closed":
        return {"state": "active", "closed_at": None}
    return {}


async def _check(tx: Tx, holder: Owner, columns: dict[str, Any], milestone_id: int) -> None:
    problems = Problems()
    problems.require("title", columns["title"])
    problems.limit("title", columns["title"], LONGEST)
    if columns["start_on"] and columns["due_on"] and columns["due_on"] < columns["start_on"]:
        problems.add("due_date", "must be greater than start date")
    if await tx.value(_TITLED, title=columns["title"], id=milestone_id, **holder.bound):
        problems.add("title", TAKEN)
    problems.refuse()


# In the project and the groups above it; of a group, also in what is below it.
_TITLED: LiteralString = f"""
    SELECT 1 FROM milestones ms WHERE ms.title = :title AND ms.id <> :id AND ({_USABLE}
        OR ms.group_id IN (SELECT t.group_id FROM group_tree t WHERE t.ancestor_id = :group_id)
        OR ms.project_id IN (SELECT p.id FROM projects p JOIN group_tree t ON t.group_id = p.namespace_id
                             WHERE t.ancestor_id = :group_id AND p.deleted_at IS NULL))"""


async def _record(tx: Tx, kind: str, actor: Actor, holder: Owner, milestone_id: int, changes: dict[str, Any]) -> None:
    await record(
        tx, kind, actor, subject_id=milestone_id, project_id=holder.project_id, group_id=holder.group_id,
        changes=changes,
    )  # fmt: skip
