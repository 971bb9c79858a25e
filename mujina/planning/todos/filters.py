"""Lists of todos."""

from mujina.kernel.actor import Actor
from mujina.kernel.db.selection import Selection
from mujina.kernel.db.sql import Sql
from mujina.kernel.filters import Filters, apply_filters, compared
from mujina.planning.todos.params import ListTodos
from mujina.planning.todos.rules import READ_TODO

KINDS = {"Issue": "issue", "MergeRequest": "merge_request", "Epic": "epic"}
"""The types of targets as the API spells them."""


_FILTERS: Filters = {
    "action": compared("todo.action"),
    "author_id": compared("todo.author_id"),
    "project_id": compared("todo.project_id"),
    "type": lambda name, type_: Sql(f"todo.target_kind = :{name}", **{name: KINDS[type_]}),
}


def own(actor: Actor, query: ListTodos) -> Selection:
    """The todos of the actor whose targets they may still read."""
    chosen = Selection("todos todo", f"todo.state = :state AND {READ_TODO.many}", state=query.state, **actor.bound)
    apply_filters(chosen, query, _FILTERS)
    return chosen
