"""Creating, editing and deleting epics. Notes, todos and references follow from the recorded events."""

from typing import Any

from mujina.kernel import clock, errors
from mujina.kernel.db.rows import changed_columns, insert_numbered, sent_columns, update
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import Problems
from mujina.kernel.events import record
from mujina.kernel.http.params import UNSET
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.text.folding import folded_columns
from mujina.planning.epics.params import CreateEpic, EditEpic
from mujina.planning.epics.rules import EpicRow

MAX_TITLE_LENGTH = 255
MAX_DESCRIPTION_LENGTH = 1_000_000


async def create(tx: Tx, actor: Actor, group_id: int, change: CreateEpic) -> int:
    """A new epic of the group, with the group's next number; the actor is its author."""
    columns = _columns(change)
    _check(columns)
    if not await lock_group(tx, group_id):
        raise errors.not_found("Group")
    now = clock.now()
    fixed = {"group_id": group_id, "author_id": actor.id, "created_at": now, "updated_at": now}
    [epic_id] = await insert_numbered(
        tx, tuple[int], "epics", {**columns, **folded_columns(columns, "title", "description"), **fixed},
        iid="next_iid('group', :group_id, 'epic')", returning="id",
    )  # fmt: skip
    changes = {name: (None, value) for name, value in columns.items()}
    await record(tx, "epic.created", actor, subject_id=epic_id, group_id=group_id, changes=changes)
    return epic_id


async def lock_group(tx: Tx, group_id: int) -> bool:
    """Lock the group, so that it is not moved while its epic is counted. False: it was deleted in the meantime."""
    # A deletion waits until this epic is counted, or this waits until the group is gone.
    found = await tx.value(
        "SELECT n.id FROM namespaces n WHERE n.id = :id AND n.deleted_at IS NULL FOR NO KEY UPDATE", id=group_id
    )
    return found is not None


async def lock_groups(tx: Tx, epic_ids: list[int]) -> None:
    """Lock the groups of these epics, so that they are not moved while their epics are taken out of the counts."""
    await tx.values(
        """SELECT n.id FROM namespaces n WHERE n.id IN (SELECT e.group_id FROM epics e WHERE e.id IN :ids)
           ORDER BY n.id FOR NO KEY UPDATE""",
        ids=epic_ids,
    )


async def iid_of(tx: Tx, epic_id: int) -> int:
    """The number of the epic in its group."""
    return await tx.value("SELECT e.iid FROM epics e WHERE e.id = :id", id=epic_id)


async def edit(tx: Tx, actor: Actor, epic: EpicRow, change: EditEpic) -> None:
    """Apply the change and record it, old and new values. The epic must be locked."""
    columns = _columns(change)
    _check({"title": epic.title, "start_on": epic.start_date, "end_on": epic.end_date} | columns)
    changes = changed_columns(epic, columns)
    if changes:
        await update(
            tx,
            "epics",
            {**columns, **folded_columns(columns, "title", "description"), "updated_at": clock.now()},
            id=epic.id,
        )
        await record(tx, "epic.updated", actor, subject_id=epic.id, group_id=epic.group_id, changes=changes)


async def remove(tx: Tx, actor: Actor, epic: EpicRow) -> None:
    """Delete the epic; its issues stay and are in no epic afterward. The epic must be locked."""
    await lock_groups(tx, [epic.id])
    await tx.run("DELETE FROM epics WHERE id = :id", id=epic.id)
    await record(
        tx, "epic.deleted", actor, subject_id=epic.id, group_id=epic.group_id, changes={"title": (epic.title, None)}
    )


NOT_COLUMNS: frozenset[str] = frozenset()
"""The parameters that no column is set to as they are."""


def _columns(change: CreateEpic | EditEpic) -> dict[str, Any]:
    """The columns that a request sets."""
    columns = sent_columns(EpicRow, change.sent_fields(), exclude=NOT_COLUMNS)
    return columns if change.title is UNSET else columns | {"title": change.title.strip()}


def _check(columns: dict[str, Any]) -> None:
    problems = Problems()
    problems.require("title", columns["title"], MAX_TITLE_LENGTH)
    problems.limit("description", columns.get("description"), MAX_DESCRIPTION_LENGTH)
    start, end = columns.get("start_on"), columns.get("end_on")
    if start and end and end < start:
        problems.add("end_date", "must be greater than start date")
    problems.refuse()
