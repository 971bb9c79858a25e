"""Labeling epics. Pages show it; the API has no field for it."""

from mujina.kernel import errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Event, record
from mujina.kernel.permissions.actor import Actor
from mujina.planning.labels.operations import known
from mujina.workspaces.owners.rules import Owner


async def relabel(tx: Tx, actor: Actor, epic_id: int, group_id: int, titles: list[str]) -> None:
    """Give the epic exactly the labels of these titles and record it; 400 if the group cannot use one of them.

    The epic must be locked.
    """
    before, after = await assign(tx, epic_id, group_id, titles)
    if before != after:
        changes = {"labels": (before, after)}
        await record(tx, "epic.updated", actor, subject_id=epic_id, group_id=group_id, changes=changes)


async def assign(tx: Tx, epic_id: int, group_id: int, titles: list[str]) -> tuple[list[str], list[str]]:
    """Give the epic exactly these labels, as a new one gets them; the titles before and after."""
    chosen = await known(tx, Owner("group", group_id, group_id), titles)
    if missing := [title for title in titles if title not in chosen]:
        raise errors.invalid({"labels": [f"{title} is not a label of this group" for title in missing[:5]]})
    current = dict(
        await tx.rows(
            tuple[int, str],
            """SELECT l.id, l.title FROM epic_labels el JOIN labels l ON l.id = el.label_id WHERE el.epic_id = :epic_id""",
            epic_id=epic_id,
        )
    )
    await tx.run(
        "DELETE FROM epic_labels WHERE epic_id = :epic_id AND label_id IN :ids",
        epic_id=epic_id,
        ids=sorted(current.keys() - set(chosen.values())),
    )
    # A label that is being deleted is skipped.
    await tx.run(
        """INSERT INTO epic_labels (epic_id, label_id) SELECT CAST(:epic_id AS bigint), l.id FROM labels l
           WHERE l.id IN :ids ORDER BY l.id FOR KEY SHARE ON CONFLICT DO NOTHING""",
        epic_id=epic_id,
        ids=sorted(set(chosen.values()) - current.keys()),
    )
    return sorted(current.values()), sorted(chosen)


async def drop_foreign_labels(tx: Tx, event: Event) -> None:
    """Epics of a transferred group, and of the groups below it, lose the labels of groups that are no longer above."""
    await tx.run(
        """
        DELETE FROM epic_labels WHERE epic_id IN (
            SELECT e.id FROM group_tree t JOIN epics e ON e.group_id = t.group_id WHERE t.ancestor_id = :group_id)
        AND NOT EXISTS (
            SELECT 1 FROM epics e JOIN group_tree above ON above.group_id = e.group_id
            JOIN labels l ON l.group_id = above.ancestor_id
            WHERE e.id = epic_labels.epic_id AND l.id = epic_labels.label_id)
        """,
        group_id=event.subject_id,
    )
