"""Which todos a user may see, and the only way to find one."""

from typing import LiteralString

from mujina.kernel import errors
from mujina.kernel.actor import Actor
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx
from mujina.kernel.noteables import ReadNoteable
from mujina.kernel.rules import Condition

mine = Condition("mine", "(todo.user_id = :actor)")
# A target may have become unreadable since the todo was created.
target_readable = ReadNoteable("todo.target_kind", "todo.target_id")

READ_TODO = mine & target_readable


_PENDING: LiteralString = """EXISTS (SELECT 1 FROM todos todo WHERE todo.user_id = :actor_id AND todo.state = 'pending'
    AND todo.target_kind = {} AND todo.target_id = {})"""
PENDING: LiteralString = _PENDING.format(":noun", ":subject_id")
"""Whether who caused an event has a todo for its subject that is not done."""
PENDING_ON_NOTEABLE: LiteralString = _PENDING.format(":noteable_kind", ":noteable_id")
"""The same for what a note is on."""


class TodoRow(Row, alias="todo"):
    id: int
    state: str


async def find_todo(tx: Tx, actor: Actor, todo_id: int) -> TodoRow:
    """A todo of the actor; 404 for those of other users."""
    todo = await tx.row(
        TodoRow,
        f"SELECT {TodoRow.columns} FROM todos todo WHERE todo.id = :id AND {READ_TODO.one}",
        id=todo_id,
        **actor.bound,
    )
    if todo is None:
        raise errors.not_found("Todo")
    return todo
