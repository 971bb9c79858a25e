"""Creating todos and marking them as done."""

from typing import LiteralString

from mujina.kernel import clock, errors
from mujina.kernel.db.rows import insert_each, insert_id, timestamps
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Event
from mujina.kernel.permissions.actor import Actor
from mujina.planning.noteables.kinds import Noteable
from mujina.planning.todos.rules import TodoRow

_HANDLING_CHANGES = frozenset(
    {"title", "description", "assignee_ids", "milestone_id", "labels", "state", "target_branch"}
)
"""A user who changes one of these columns has dealt with the issue or merge request."""


async def add(
    tx: Tx, event: Event, user_ids: list[int], action: str, kind: str, id: int, *, note_id: int | None = None
) -> None:
    """A todo for each of these users, unless they have a pending one for the target."""
    if not user_ids or event.actor_id is None:
        return
    await insert_each(
        tx, "todos", [
            {
                "user_id": user_id, "author_id": event.actor_id, "project_id": event.project_id,
                "group_id": None if event.project_id else event.group_id, "target_kind": kind, "target_id": id,
                "note_id": note_id, "action": action, "created_at": event.created_at, "updated_at": event.created_at,
            }
            for user_id in sorted(user_ids)
        ], _ONE_PENDING,
    )  # fmt: skip


_ONE_PENDING: LiteralString = "ON CONFLICT (user_id, target_kind, target_id) WHERE state = 'pending' DO NOTHING"


async def mark(tx: Tx, actor: Actor, noteable: Noteable) -> int:
    """A todo of the actor for themselves; 304 if they have a pending one."""
    todo_id: int | None = await insert_id(
        tx, "todos", _ONE_PENDING, user_id=actor.id, author_id=actor.id, project_id=noteable.project_id,
        group_id=noteable.group_id, target_kind=noteable.kind, target_id=noteable.id, action="marked", **timestamps(),
    )  # fmt: skip
    if todo_id is None:
        raise errors.not_modified()
    return todo_id


async def delete_all(tx: Tx, kind: str, ids: list[int]) -> None:
    """Delete the todos about these."""
    await tx.run("DELETE FROM todos WHERE target_kind = :kind AND target_id IN :ids", kind=kind, ids=ids)


async def finish(tx: Tx, todo: TodoRow) -> None:
    await tx.run("UPDATE todos SET state = 'done', updated_at = :now WHERE id = :id", id=todo.id, now=clock.now())


async def finish_all(tx: Tx, actor: Actor) -> None:
    await tx.run(
        "UPDATE todos SET state = 'done', updated_at = :now WHERE user_id = :actor AND state = 'pending'",
        actor=actor.id,
        now=clock.now(),
    )


async def finish_on(tx: Tx, user_id: int | None, kind: str, id: int) -> None:
    """Finish the pending todos of the user for this target."""
    await tx.run(
        """UPDATE todos SET state = 'done', updated_at = :now
           WHERE user_id = :user_id AND target_kind = :kind AND target_id = :id AND state = 'pending'""",
        user_id=user_id or 0, kind=kind, id=id, now=clock.now(),
    )  # fmt: skip


async def finish_action(tx: Tx, user_ids: list[int], action: str, kind: str, id: int) -> None:
    """Finish the pending todos of these users for this target that have this action."""
    await tx.run(
        """UPDATE todos SET state = 'done', updated_at = :now
           WHERE user_id IN :user_ids AND target_kind = :kind AND target_id = :id AND state = 'pending'
           AND action = :action""",
        user_ids=user_ids, action=action, kind=kind, id=id, now=clock.now(),
    )  # fmt: skip


async def finish_after_editing(tx: Tx, event: Event) -> None:
    """Finish the todos that the actor has for what they changed."""
    if _HANDLING_CHANGES & event.changes.keys():
        await finish_on(tx, event.actor_id, event.subject_kind, event.subject_id)


async def finish_after_pushing(tx: Tx, event: Event) -> None:
    """Finish the todos that the actor has for the merge request they pushed to."""
    await finish_on(tx, event.actor_id, event.subject_kind, event.subject_id)


async def finish_after_commenting(tx: Tx, event: Event) -> None:
    await finish_on(tx, event.actor_id, event.changes["noteable_kind"], event.changes["noteable_id"])


async def finish_after_awarding(tx: Tx, event: Event) -> None:
    await finish_on(tx, event.actor_id, event.changes["about_kind"], event.changes["about_id"])


async def add_assignee_todos(tx: Tx, event: Event) -> None:
    """A todo for each new assignee, including users who assign themselves."""
    before, after = event.changes.get("assignee_ids", ([], []))
    new = [id_ for id_ in after if id_ not in before]
    await add(tx, event, new, "assigned", event.subject_kind, event.subject_id)


async def delete_todos_of_member(tx: Tx, event: Event) -> None:
    """Delete the todos that the removed member has in the project, or in every group and project below the group."""
    await tx.run(
        """
        DELETE FROM todos WHERE user_id = :user_id AND (project_id = :project_id OR project_id IN (
            SELECT p.id FROM projects p JOIN group_tree t ON t.group_id = p.namespace_id WHERE t.ancestor_id = :group_id)
            OR group_id IN (SELECT t.group_id FROM group_tree t WHERE t.ancestor_id = :group_id))
        """,
        user_id=event.subject_id,
        project_id=event.project_id,
        group_id=event.group_id,
    )


async def delete_of_users(
    tx: Tx, user_ids: list[int], *, project_id: int | None = None, group_id: int | None = None
) -> None:
    """Delete the todos that these users have in the project, or around the epics of the group."""
    await tx.run(
        """DELETE FROM todos WHERE user_id IN :user_ids
           AND (project_id = CAST(:project_id AS bigint) OR group_id = CAST(:group_id AS bigint))""",
        user_ids=user_ids,
        project_id=project_id,
        group_id=group_id,
    )
