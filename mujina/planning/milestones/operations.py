"""Creating, editing, promoting and deleting milestones."""

from typing import Any, LiteralString

from mujina.kernel import clock, errors
from mujina.kernel.db.errors import unique
from mujina.kernel.db.rows import changed_columns, insert_numbered, sent_columns, timestamps, update
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import Problems
from mujina.kernel.events import record
from mujina.kernel.http.params import UNSET
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.text.folding import folded_columns
from mujina.planning.milestones.params import CreateMilestone, EditMilestone
from mujina.planning.milestones.rules import USABLE, MilestoneRow
from mujina.planning.work_items.kinds import WORK_ITEM_KINDS
from mujina.workspaces.owners.rules import Owner

MAX_TITLE_LENGTH = 255
TAKEN = "already being used for another group or project milestone."
_BELOW: LiteralString = """
    SELECT ms.id FROM group_tree t JOIN projects p ON p.namespace_id = t.group_id
    JOIN milestones ms ON ms.project_id = p.id AND ms.title = :title
    WHERE t.ancestor_id = :group_id AND ms.id <> :id ORDER BY ms.id"""
_TITLED_BELOW: LiteralString = """
    SELECT 1 FROM group_tree t JOIN milestones ms ON ms.group_id = t.group_id AND ms.title = :title
    WHERE t.ancestor_id = :group_id"""


async def create(tx: Tx, actor: Actor, owner: Owner, change: CreateMilestone) -> int:
    """A new milestone; its title must be unique in the project and in the groups above and below."""
    columns = _columns(change)
    await _check(tx, owner, columns, 0)
    with unique("title"):
        [milestone_id] = await insert_numbered(
            tx, tuple[int], "milestones",
            {**columns, **folded_columns(columns, "title", "description"), **owner.ids, **timestamps()},
            iid="next_iid(:owner, :owner_id, 'milestone')", returning="id", owner=owner.kind, owner_id=owner.id,
        )  # fmt: skip
    changes = {name: (None, value) for name, value in columns.items()}
    await _record(tx, "milestone.created", actor, owner, milestone_id, changes)
    return milestone_id


async def edit(tx: Tx, actor: Actor, owner: Owner, milestone: MilestoneRow, change: EditMilestone) -> None:
    """Apply the change and record it, old and new values."""
    columns = _columns(change)
    current = {"title": milestone.title, "start_on": milestone.start_date, "due_on": milestone.due_date}
    await _check(tx, owner, current | columns, milestone.id)
    columns |= _state(milestone.state, change)
    with unique("title"):
        await update(
            tx,
            "milestones",
            {**columns, **folded_columns(columns, "title", "description"), "updated_at": clock.now()},
            id=milestone.id,
        )
    kinds = {"closed": "milestone.closed", "active": "milestone.activated"}
    kind = kinds.get(columns.get("state", ""))
    await _record(tx, kind or "milestone.updated", actor, owner, milestone.id, changed_columns(milestone, columns))


async def remove(tx: Tx, actor: Actor, owner: Owner, milestone: MilestoneRow) -> None:
    """Delete the milestone; its issues have none afterward."""
    await tx.run("DELETE FROM milestones WHERE id = :id", id=milestone.id)
    await _record(tx, "milestone.deleted", actor, owner, milestone.id, {"title": (milestone.title, None)})


async def iid_of(tx: Tx, milestone_id: int) -> int:
    """The number of the milestone in its project or group."""
    return await tx.value("SELECT ms.iid FROM milestones ms WHERE ms.id = :id", id=milestone_id)


async def with_usable(tx: Tx, project: Owner, columns: dict[str, Any]) -> dict[str, Any]:
    """The columns; a milestone that belongs neither to the project nor to a group above it becomes null."""
    if not columns.get("milestone_id"):
        return columns
    usable = await tx.value(
        f"SELECT ms.id FROM milestones ms WHERE ms.id = :id AND {USABLE} FOR KEY SHARE",
        id=columns["milestone_id"],
        **project.bound,
    )
    return columns | {"milestone_id": usable}


async def usable_of_title(tx: Tx, project: Owner, title: str) -> int | None:
    """The milestone of this title in the project or else in a group above it; otherwise None."""
    return await tx.value(
        f"SELECT ms.id FROM milestones ms WHERE ms.title = :title AND {USABLE} ORDER BY ms.project_id NULLS LAST",
        title=title,
        **project.bound,
    )


def usable_milestones(owner: Owner) -> Selection:
    """The milestones of the owner and of the groups above it."""
    return Selection("milestones ms", USABLE, **owner.bound)


NOT_COLUMNS = {"state_event"}
"""The parameters that no column is set to as they are."""


def _columns(change: CreateMilestone | EditMilestone) -> dict[str, Any]:
    """The columns that a request sets."""
    columns = sent_columns(MilestoneRow, change.sent_fields(), exclude=NOT_COLUMNS)
    return columns if change.title is UNSET else columns | {"title": change.title.strip()}


def _state(state: str, change: EditMilestone) -> dict[str, str | None]:
    """Closing a closed milestone and activating an active one change nothing."""
    if change.state_event == "close" and state == "active":
        return {"state": "closed", "closed_at": clock.now()}
    if change.state_event == "activate" and state == "closed":
        return {"state": "active", "closed_at": None}
    return {}


async def _check(tx: Tx, owner: Owner, columns: dict[str, Any], milestone_id: int) -> None:
    problems = Problems()
    problems.require("title", columns["title"], MAX_TITLE_LENGTH)
    start, due = columns.get("start_on"), columns.get("due_on")
    if start and due and due < start:
        problems.add("due_date", "must be greater than start date")
    if await tx.value(_TITLED, title=columns["title"], id=milestone_id, **owner.bound):
        problems.add("title", TAKEN)
    problems.refuse()


# In the project and the groups above it; for a group also in the groups and projects below it.
_TITLED: LiteralString = f"""
    SELECT 1 FROM milestones ms WHERE ms.title = :title AND ms.id <> :id AND ({USABLE}
        OR ms.group_id IN (SELECT t.group_id FROM group_tree t WHERE t.ancestor_id = :group_id)
        OR ms.project_id IN (SELECT p.id FROM projects p JOIN group_tree t ON t.group_id = p.namespace_id
                             WHERE t.ancestor_id = :group_id AND p.deleted_at IS NULL))"""


async def _record(tx: Tx, kind: str, actor: Actor, owner: Owner, milestone_id: int, changes: dict[str, Any]) -> None:
    await record(tx, kind, actor, subject_id=milestone_id, changes=changes, **owner.ids)


async def promote(tx: Tx, actor: Actor, milestone: MilestoneRow, group: Owner) -> None:
    """The milestone belongs to the group, under a number there; those of its title in the projects below are merged into it.

    400 if a group below has a milestone of this title.
    """
    bound = {"title": milestone.title, "group_id": group.id}
    if await tx.value(_TITLED_BELOW, **bound):
        raise errors.invalid({"title": [TAKEN]})
    former = await tx.values(_BELOW, id=milestone.id, **bound)
    with unique("title"):
        await tx.run(
            """UPDATE milestones SET project_id = NULL, group_id = :group_id, updated_at = :now,
               iid = next_iid('group', :group_id, 'milestone') WHERE id = :id""",
            group_id=group.id,
            id=milestone.id,
            now=clock.now(),
        )
    for kind in tx.product.all(WORK_ITEM_KINDS):
        await tx.run(
            f"UPDATE {kind.table} SET milestone_id = :id WHERE milestone_id IN :former", id=milestone.id, former=former
        )
    await record(  # before the deletion: what follows still sees the milestones
        tx, "milestone.promoted", actor, subject_id=milestone.id, group_id=group.id,
        changes={"title": (milestone.title, milestone.title), "milestone_ids": (former, milestone.id)},
    )  # fmt: skip
    await tx.run("DELETE FROM milestones WHERE id IN :ids", ids=former)
