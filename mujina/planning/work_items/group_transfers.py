"""The labels, milestones and epics of projects below a group that is transferred."""

from typing import LiteralString

import msgspec

from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Event
from mujina.planning.boards.transfers import drop_foreign_lists, replace_list_labels
from mujina.planning.epic_issues.transfers import drop_foreign_epics
from mujina.planning.labels.transfers import copy_group_labels
from mujina.planning.milestones.transfers import replace_milestones


async def follow_group(tx: Tx, event: Event) -> None:
    """Replaces or drops everything below the group that belongs to groups no longer above it."""
    for moved in await moved_projects(tx, event):
        await copy_group_labels(tx, moved)
        await replace_list_labels(tx, moved)
        await replace_milestones(tx, moved)
        await drop_foreign_epics(tx, moved)
    await drop_foreign_lists(tx, event)


async def moved_projects(tx: Tx, event: Event) -> list[Event]:
    """The transfer of a group as that of each project below it.

    None of them concerns a project if the groups that are no longer above have nothing that it could use.
    """
    if not await tx.value(_LEFT_BEHIND, id=event.subject_id, before=event.changes["parent_id"][0]):
        return []
    projects = await tx.rows(
        tuple[int, int],
        """SELECT p.id, p.namespace_id FROM projects p JOIN group_tree t ON t.group_id = p.namespace_id
           WHERE t.ancestor_id = :id ORDER BY p.id""",
        id=event.subject_id,
    )
    return [
        msgspec.structs.replace(event, project_id=id_, changes={"namespace_id": (namespace_id, namespace_id)})
        for id_, namespace_id in projects
    ]


_LEFT_BEHIND: LiteralString = """
    SELECT 1 FROM group_tree t WHERE t.group_id = :before
    AND t.ancestor_id NOT IN (SELECT above.ancestor_id FROM group_tree above WHERE above.group_id = :id)
    AND (EXISTS (SELECT 1 FROM labels l WHERE l.group_id = t.ancestor_id)
         OR EXISTS (SELECT 1 FROM milestones ms WHERE ms.group_id = t.ancestor_id)
         OR EXISTS (SELECT 1 FROM epics e WHERE e.group_id = t.ancestor_id)) LIMIT 1"""
