"""Lists of groups, and of a group's projects: their parameters as conditions."""

from typing import LiteralString

from mujina.instance.custom_attributes.filters import with_attributes
from mujina.kernel.access import GUEST
from mujina.kernel.actor import Actor
from mujina.kernel.db.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.rules import TRUE, Condition, Rule, admin
from mujina.workspaces.groups.params import ListGroups
from mujina.workspaces.groups.rules import BELONG_TO_GROUP, READ_GROUP, GroupRow, public_group
from mujina.workspaces.members.access import GROUPS_BELONGED_TO, group_guest, group_guest_each
from mujina.workspaces.projects.rules import READ_PROJECT

_ORDERS: dict[str, LiteralString] = {"name": "n.name_folded", "path": "n.path_folded"}


MANY = 200
"""So many groups are sooner found along their order, each asked whether it is one of them, than gathered and sorted."""

_KNOWN = frozenset({"order_by", "sort", "statistics", "all_available"})
"""Parameters that leave the list of a person's groups as long as it is."""


async def belonged_to(tx: Tx, actor: Actor, query: ListGroups) -> int | None:
    """How many groups the list has, if it is of those the caller belongs to, all of them; None if it is another one."""
    plain = query.given().keys() <= _KNOWN and _listed_for(actor, query) is BELONG_TO_GROUP
    return await tx.value(GROUPS_BELONGED_TO, **actor.bound) if plain else None


def groups(actor: Actor, query: ListGroups, known: int | None = None) -> Selection:
    """The groups this caller asks for, of which so many are known to be there."""
    rule = _listed_for(actor, query)
    if known is not None and known > MANY:
        rule = rule.given({group_guest: group_guest_each})
    chosen = Selection(
        "namespaces n CROSS JOIN groups g",
        f"g.id = n.id AND n.kind = 'group' AND n.deleted_at IS NULL AND {rule.many}",
        **actor.bound,
    )
    if query.owned:
        chosen.only(_OWNED)
    if query.skip_groups:
        chosen.only("g.id NOT IN :skip_groups", skip_groups=query.skip_groups)
    if query.search:
        chosen.matching(query.search, "n.name_folded", "n.path_folded")
    with_attributes(chosen, actor, "group", query.custom_attributes or {})
    return chosen


def subgroups(actor: Actor, group: GroupRow, query: ListGroups) -> Selection:
    """The groups right below this one."""
    chosen = groups(actor, query)
    chosen.only("n.parent_id = :parent_id", parent_id=group.id)
    return chosen


def _listed_for(actor: Actor, query: ListGroups) -> Rule:
    if actor.anonymous:
        return public_group
    if actor.admin:
        return TRUE
    # Compat: who signs in sees fewer groups than nobody does, until they ask for all that are available to them.
    return READ_GROUP.given({admin: False}) if query.all_available else BELONG_TO_GROUP


_OWNED: LiteralString = """g.id IN (
    SELECT m.source_id FROM members m
    WHERE m.user_id = :actor AND m.source_kind = 'group' AND m.level >= 50 AND m.expires_on > :today)"""


def order(query: ListGroups) -> LiteralString:
    """As asked; ties are broken by id in the same direction."""
    turn: LiteralString = "ASC" if query.sort == "asc" else "DESC"
    return f"{_ORDERS[query.order_by]} {turn}, n.id {turn}"


def own_projects(actor: Actor, group: GroupRow) -> Selection:
    """The projects right in the group that the caller may see: its members see all of them."""
    rule = TRUE if group.level >= GUEST else READ_PROJECT.given({admin: actor.admin})
    return Selection(f"({_OWN}) p", f"p.deleted_at IS NULL AND {rule.many}", group_id=group.id, **actor.bound)


def shared_projects(actor: Actor, group: GroupRow) -> Selection:
    """The projects shared with the group that the caller may see."""
    rule = READ_PROJECT.given({admin: actor.admin})
    return Selection(f"({_SHARED}) p", f"p.deleted_at IS NULL AND {rule.many}", group_id=group.id, **actor.bound)


def all_projects(actor: Actor, group: GroupRow, *, shared: bool = True, below: bool = False) -> Selection:
    """Its own, those `shared` with it, and those `below` it, in its subgroups."""
    rule = READ_PROJECT.given({admin: actor.admin})
    if group.level >= GUEST:
        rule = in_group | rule
    own: LiteralString = _BELOW if below else _OWN
    source: LiteralString = f"{own} UNION ALL {_SHARED}" if shared else own
    return Selection(f"({source}) p", f"p.deleted_at IS NULL AND {rule.many}", group_id=group.id, **actor.bound)


in_group = Condition("in_group", "(p.namespace_id = :group_id)")

# Named by their group and nothing else, so that no engine walks over all projects to find them.
_OWN: LiteralString = "SELECT q.* FROM projects q WHERE q.namespace_id = :group_id"
_BELOW: LiteralString = """
    SELECT q.* FROM group_tree t JOIN projects q ON q.namespace_id = t.group_id WHERE t.ancestor_id = :group_id"""
_SHARED: LiteralString = """
    SELECT q.* FROM project_shares s JOIN projects q ON q.id = s.project_id
    WHERE s.group_id = :group_id AND s.expires_on > :today AND q.namespace_id <> :group_id"""
