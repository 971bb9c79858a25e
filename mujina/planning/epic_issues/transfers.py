"""The epic of an issue that moves, is deleted, or whose project is transferred to another group."""

from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Event


async def follow_move(tx: Tx, event: Event) -> None:
    """The copy takes the place of a moved issue in its epic, if the new project is in the epic's group or below."""
    await tx.run(
        """
        UPDATE epic_issues SET issue_id = :new_id, project_id = :project_id
        WHERE issue_id = :id AND epic_id IN (
            SELECT e.id FROM projects p JOIN group_tree t ON t.group_id = p.namespace_id
            JOIN epics e ON e.group_id = t.ancestor_id
            WHERE p.id = :project_id AND e.id = epic_issues.epic_id)
        """,
        id=event.subject_id,
        new_id=event.changes["issue_id"][1],
        project_id=event.changes["project_id"][1],
    )
    await drop_epic(tx, event)


async def drop_epic(tx: Tx, event: Event) -> None:
    """A deleted or moved issue is in no epic."""
    await tx.run("DELETE FROM epic_issues WHERE issue_id = :id", id=event.subject_id)


async def drop_foreign_epics(tx: Tx, event: Event) -> None:
    """The issues of a transferred project leave the epics of groups that it is no longer in."""
    await tx.run(
        """
        DELETE FROM epic_issues WHERE project_id = :project_id AND epic_id IN (
            SELECT e.id FROM epic_issues ei JOIN epics e ON e.id = ei.epic_id
            WHERE ei.project_id = :project_id AND e.group_id NOT IN (
                SELECT t.ancestor_id FROM group_tree t WHERE t.group_id = :namespace_id))
        """,
        project_id=event.project_id,
        namespace_id=event.changes["namespace_id"][1],
    )
