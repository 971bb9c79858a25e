"""Assigning users to issues and merge requests, and requesting their reviews."""

from collections.abc import Callable
from typing import Any, LiteralString

from mujina.instance.editions.rules import counted_assignees
from mujina.kernel import clock
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Event
from mujina.planning.work_items.kinds import WORK_ITEM_KINDS, WorkItemKind

Changes = dict[str, Any]
"""Field → (before, after)."""


def assignable(kind: WorkItemKind) -> LiteralString:
    """Whether the user `u` may be assigned to rows of the project `p`."""
    return f"(u.deleted_at IS NULL AND {kind.assignable.of('u')})"


async def assignees_of(tx: Tx, kind: WorkItemKind, id: int) -> list[int]:
    return await tx.values(
        f"SELECT a.user_id FROM {kind.assignees} a WHERE a.{kind.key} = :id ORDER BY a.user_id", id=id
    )


async def assign(tx: Tx, kind: WorkItemKind, project_id: int, id: int, user_ids: list[int] | None) -> Changes:
    """Assign exactly those of these users who may be assigned. None changes nothing.

    Assignees whom the edition hides stay as long as the one it shows does.
    """
    if user_ids is None:
        return {}
    before, after = await replace_people(tx, kind, kind.assignees, project_id, id, user_ids, shown=counted_assignees)
    return {} if before == after else {"assignee_ids": (before, after)}


async def replace_people(
    tx: Tx, kind: WorkItemKind, table: LiteralString, project_id: int, id: int, user_ids: list[int],
    *, shown: Callable[[list[int]], list[int]] = list,
) -> tuple[list[int], list[int]]:  # fmt: skip
    """Replace the users in one of the tables by those of these users who may be assigned. The ids before and after."""
    users = await tx.rows(
        tuple[int, bool, bool],
        f"""
        SELECT u.id, a.{kind.key} IS NOT NULL, {assignable(kind)} FROM users u JOIN projects p ON p.id = :project_id
        LEFT JOIN {table} a ON a.user_id = u.id AND a.{kind.key} = :id
        WHERE u.id IN (
            SELECT now.user_id FROM {table} now WHERE now.{kind.key} = :id
            UNION ALL SELECT requested.id FROM users requested WHERE requested.id IN :user_ids)
        ORDER BY u.id
        """,
        id=id, project_id=project_id, user_ids=user_ids, today=clock.today(),
    )  # fmt: skip
    before = [user_id for user_id, present, _ in users if present]
    after = [user_id for user_id, _, allowed in users if allowed and user_id in user_ids]
    if after != shown(before):
        if removed := [id_ for id_ in before if id_ not in after]:
            await tx.run(f"DELETE FROM {table} WHERE {kind.key} = :id AND user_id IN :removed", id=id, removed=removed)
        await add_people(tx, kind, table, id, [id_ for id_ in after if id_ not in before])
    return shown(before), after


async def add_people(tx: Tx, kind: WorkItemKind, table: LiteralString, id: int, user_ids: list[int]) -> None:
    if user_ids:
        await tx.run_each(
            f"INSERT INTO {table} ({kind.key}, user_id) VALUES (:id, :user_id) ON CONFLICT DO NOTHING",
            [{"id": id, "user_id": user_id} for user_id in user_ids],
        )


async def release_member(tx: Tx, event: Event) -> None:
    """The removed member is no longer assigned, or asked to review, in the project or below the group."""
    await release(tx, [event.subject_id], project_id=event.project_id, group_id=event.group_id)


async def release(tx: Tx, user_ids: list[int], *, project_id: int | None, group_id: int | None = None) -> None:
    """These users are no longer assigned, or asked to review, in the project or in any project below the group."""
    for kind in tx.product.all(WORK_ITEM_KINDS):
        for table in kind.people:
            await tx.run(
                f"""
                DELETE FROM {table} WHERE user_id IN :user_ids AND {kind.key} IN (
                    SELECT a.{kind.key} FROM {table} a
                    JOIN {kind.table} item ON item.id = a.{kind.key} JOIN projects p ON p.id = item.project_id
                    WHERE a.user_id IN :user_ids AND (p.id = :project_id OR p.namespace_id IN (
                        SELECT t.group_id FROM group_tree t WHERE t.ancestor_id = :group_id)))
                """,
                user_ids=user_ids,
                project_id=project_id,
                group_id=group_id,
            )
