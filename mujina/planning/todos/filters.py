"""Lists of todos."""

from typing import LiteralString

from mujina.kernel.db.sql.selection import Selection, Sql
from mujina.kernel.lists.filters import Filters, apply_filters, compared
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.product import Product
from mujina.planning.todos.params import ListTodos
from mujina.planning.todos.rules import KINDS, read_todo

_FILTERS: Filters = {
    "action": compared("todo.action"),
    "author_id": compared("todo.author_id"),
    "project_id": compared("todo.project_id"),
    "type": lambda name, type_: Sql(f"todo.target_kind = :{name}", **{name: KINDS[type_]}),
}


def own(product: Product, actor: Actor, query: ListTodos) -> Selection:
    """The todos of the actor whose targets they may still read."""
    where: LiteralString = f"todo.state = :state AND {read_todo(product).for_scan}"
    return apply_filters(Selection("todos todo", where, state=query.state, **actor.bound), query, _FILTERS)
