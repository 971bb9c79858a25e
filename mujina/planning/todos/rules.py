"""Which todos a user may see, and the only way to find one."""

from functools import cache
from typing import LiteralString

from mujina.kernel.db.rows import Row, find_row
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.permissions.actor import Actor, Kind
from mujina.kernel.permissions.rules import Condition, Facts, Rule, known_of
from mujina.kernel.product import Product
from mujina.planning.noteables.kinds import read_noteable

KINDS = {"Issue": "issue", "MergeRequest": "merge_request", "Epic": "epic"}
"""The types of targets as the API spells them."""
mine = Condition("mine", "(todo.user_id = :actor)")
_NOTHING_KNOWN: Facts = {}


@cache
def read_todo(product: Product, actor: Kind | None = None) -> Rule:
    """The rule for an actor of this kind, by default of any: a target may have become unreadable since the todo was created."""
    known = _NOTHING_KNOWN if actor is None else known_of(actor)
    among = frozenset(KINDS.values())
    return mine & read_noteable(product, "todo.target_kind", "todo.target_id", known=known, among=among)


def pending(kind: LiteralString, id: LiteralString) -> LiteralString:
    """Whether who caused an event has a todo that is not done, for what these parameters of the event name."""
    return f"""EXISTS (SELECT 1 FROM todos todo WHERE todo.user_id = :actor_id AND todo.state = 'pending'
        AND todo.target_kind = {kind} AND todo.target_id = {id})"""


class TodoRow(Row, alias="todo"):
    id: int


async def find_todo(tx: Tx, actor: Actor, todo_id: int) -> TodoRow:
    """A todo of the actor; 404 for those of other users."""
    selection = Selection("todos todo", f"todo.id = :id AND {read_todo(tx.product).for_row}", id=todo_id, **actor.bound)
    return await find_row(tx, TodoRow, selection, "Todo")
