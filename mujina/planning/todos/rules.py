"""Which todos a user may see, and the only way to find one."""

from typing import LiteralString

from mujina.kernel import errors
from mujina.kernel.actor import Actor
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx
from mujina.kernel.rules import Condition
from mujina.planning.issues.rules import READ_ISSUE

mine = Condition("mine", "(todo.user_id = :actor)")
# A target may have become unreadable since the todo was created. A scalar subquery looks the target up by its key for
# each todo; PostgreSQL would turn EXISTS into a join over every issue.
target_readable = Condition(
    "target_readable",
    f"""coalesce((
        SELECT {READ_ISSUE.many} FROM issues i JOIN projects p ON p.id = i.project_id
        WHERE todo.target_kind = 'issue' AND i.id = todo.target_id
        AND i.deleted_at IS NULL AND p.deleted_at IS NULL), FALSE)""",
)

READ_TODO = mine & target_readable


class TodoRow(Row, alias="todo"):
    id: int
    state: str


_FIND: LiteralString = f"SELECT {TodoRow.columns} FROM todos todo WHERE todo.id = :id AND {READ_TODO.one}"


async def find_todo(tx: Tx, actor: Actor, todo_id: int) -> TodoRow:
    """A todo of the actor; 404 for those of other users."""
    todo = await tx.row(TodoRow, _FIND, id=todo_id, **actor.bound)
    if todo is None:
        raise errors.not_found("Todo")
    return todo
