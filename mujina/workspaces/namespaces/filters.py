"""The list of namespaces: its parameters as conditions."""

from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.permissions.rules import admin
from mujina.workspaces.namespaces.params import ListNamespaces
from mujina.workspaces.namespaces.rules import LIST_NAMESPACE


def namespaces(actor: Actor, query: ListNamespaces) -> Selection:
    """The caller's own namespace and those of groups they are a direct member of; all of them for administrators."""
    rule = LIST_NAMESPACE.given({admin: actor.admin})
    selection = Selection("namespaces n", f"n.deleted_at IS NULL AND {rule.for_scan}", **actor.bound)
    return selection.matching(query.search, "n.name_folded", "n.path_folded") if query.search else selection
