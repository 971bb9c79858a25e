"""Lists of todos."""

from mujina.kernel.actor import Actor
from mujina.kernel.db.selection import Selection
from mujina.planning.todos.params import ListTodos
from mujina.planning.todos.rules import READ_TODO

KINDS = {"Issue": "issue", "MergeRequest": "merge_request", "Epic": "epic"}
"""The types of targets as the API spells them."""


def own(actor: Actor, query: ListTodos) -> Selection:
    """The todos of the actor whose targets they may still read."""
    chosen = Selection("todos todo", f"todo.state = :state AND {READ_TODO.many}", state=query.state, **actor.bound)
    if query.action:
        chosen.where("todo.action = :action", action=query.action)
    if isinstance(query.author_id, int):
        chosen.where("todo.author_id = :author_id", author_id=query.author_id)
    if isinstance(query.project_id, int):
        chosen.where("todo.project_id = :project_id", project_id=query.project_id)
    if query.type:
        chosen.where("todo.target_kind = :kind", kind=KINDS[query.type])
    return chosen
