"""The list of namespaces: its parameters as conditions."""

from typing import LiteralString

from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.permissions.rules import admin
from mujina.workspaces.namespaces.params import ListNamespaces
from mujina.workspaces.namespaces.rules import LIST_NAMESPACE, OWN_NAMESPACE


def namespaces(actor: Actor, query: ListNamespaces) -> Selection:
    """The caller's own namespace and those of groups they are a direct member of; all of them for administrators."""
    rule = OWN_NAMESPACE if query.owned_only else LIST_NAMESPACE.assuming({admin: actor.admin})
    source: LiteralString = "namespaces n"
    path: LiteralString = "n.path_folded"
    if query.full_path_search:
        source, path = f"{source} JOIN routes r ON r.namespace_id = n.id", "r.path_folded"
    selection = Selection(source, f"n.deleted_at IS NULL AND {rule.for_scan}", **actor.bound)
    if query.top_level_only:
        selection = selection.where("n.parent_id IS NULL")
    return selection.matching(query.search, "n.name_folded", path) if query.search else selection
