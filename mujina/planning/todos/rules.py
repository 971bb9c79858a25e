"""Whose todos one may see, and the only way to get one."""

from typing import LiteralString

import msgspec

from mujina.kernel import errors
from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx
from mujina.kernel.rules import Condition
from mujina.planning.issues.rules import READ_ISSUE

mine = Condition("mine", "(todo.user_id = :actor)")
# What one could read when it was given to one may be hidden since. A scalar subquery: it is asked for each todo by the
# key of its target, where PostgreSQL would turn EXISTS into a join over every issue.
target_readable = Condition(
    "target_readable",
    f"""coalesce((
        SELECT {READ_ISSUE.many} FROM issues i JOIN projects p ON p.id = i.project_id
        WHERE todo.target_kind = 'issue' AND i.id = todo.target_id
        AND i.deleted_at IS NULL AND p.deleted_at IS NULL), FALSE)""",
)

READ_TODO = mine & target_readable


class TodoRow(msgspec.Struct, array_like=True, frozen=True):
    id: int
    state: str


_FIND: LiteralString = f"SELECT todo.id, todo.state FROM todos todo WHERE todo.id = :id AND {READ_TODO.one}"


async def find_todo(tx: Tx, actor: Actor, todo_id: int) -> TodoRow:
    """One's own todo; another's is missing, like one that never was."""
    todo = await tx.row(TodoRow, _FIND, id=todo_id, **actor.bound)
    if todo is None:
        raise errors.not_found("Todo")
    return todo
