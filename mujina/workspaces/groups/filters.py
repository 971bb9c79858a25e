"""Lists of groups, and of a group's projects: their parameters as conditions."""

from typing import LiteralString

from mujina.instance.custom_attributes.filters import with_attributes
from mujina.kernel.db.sql.selection import Order, Selection, Sql, ascending, matching
from mujina.kernel.db.transaction import Tx, Value
from mujina.kernel.http.params import UNSET
from mujina.kernel.lists.filters import Filters, apply_filters, compared, only_if
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.permissions.levels import VISIBILITIES, exceeds
from mujina.kernel.permissions.rules import TRUE, Condition, Rule, admin
from mujina.workspaces.groups.params import ListGroups
from mujina.workspaces.groups.rules import (
    ADD_GROUP_PROJECT,
    ADMIN_GROUP,
    BELONG_TO_GROUP,
    READ_GROUP,
    GroupRow,
    public_group,
)
from mujina.workspaces.members.access import GROUP_LEVEL_RULES, GROUPS_BELONGED_TO, group_guest, group_guest_each
from mujina.workspaces.projects.rules import READ_PROJECT

_ORDERS = {
    "path": ascending("n.path_folded", "n.id"),
    "id": ascending("n.id"),
    "created_at": ascending("n.created_at", "n.id"),
}
_BY_NAME = ascending("n.name_folded", "n.id")


MANY = 200
"""From this many groups on, a scan in list order that checks each group is faster than collecting and sorting them."""

_KNOWN = frozenset(
    {"order_by", "sort", "statistics", "with_custom_attributes", "all_available", "pagination", "cursor"}
)
"""Parameters that do not change how many groups are listed."""


async def listed_groups(tx: Tx, actor: Actor, query: ListGroups) -> Selection:
    """The groups that `GET /groups` lists for this query; how many groups the caller belongs to is kept."""
    if not query.sent_fields().keys() <= _KNOWN or _listed_for(actor, query) is not BELONG_TO_GROUP:
        return groups(actor, query)
    total: int = await tx.value(GROUPS_BELONGED_TO, **actor.bound)
    rule = BELONG_TO_GROUP.assuming({group_guest: group_guest_each}) if total > MANY else BELONG_TO_GROUP
    return groups(actor, query, rule).counted(total)


def groups(actor: Actor, query: ListGroups, rule: Rule | None = None) -> Selection:
    """The groups this caller asks for, by default those of the API."""
    rule = rule or _listed_for(actor, query)
    selection = Selection(
        "namespaces n CROSS JOIN groups g",
        f"g.id = n.id AND n.kind = 'group' AND n.deleted_at IS NULL AND {rule.for_scan}",
        **actor.bound,
    )
    return with_attributes(apply_filters(selection, query, _FILTERS), actor, "group", query.custom_attributes or {})


def subgroups(actor: Actor, group: GroupRow, query: ListGroups) -> Selection:
    """The direct subgroups."""
    return groups(actor, query).where("n.parent_id = :parent_id", parent_id=group.id)


def descendants(actor: Actor, group: GroupRow, query: ListGroups) -> Selection:
    """The groups below it, at any depth."""
    return groups(actor, query).where(
        "g.id IN (SELECT t.group_id FROM group_tree t WHERE t.ancestor_id = :above_id AND t.depth > 0)",
        above_id=group.id,
    )


def project_locations(actor: Actor, search: str, namespace_id: int) -> Selection:
    """The groups into which the actor may move a project that is in this namespace."""
    query = ListGroups(search=search or UNSET)
    selection = groups(actor, query, rule=ADD_GROUP_PROJECT.assuming({admin: actor.admin}))
    return selection.where("g.id <> :namespace_id", namespace_id=namespace_id)


def of_project(
    actor: Actor, project_id: int, namespace_id: int, search: str, skipped: list[int], *, shared: bool
) -> Selection:
    """The groups above a project that the actor may read, with `shared` also those with which it is shared."""
    query = ListGroups(search=search or UNSET, skip_groups=skipped or UNSET)
    above: LiteralString = "SELECT t.ancestor_id FROM group_tree t WHERE t.group_id = :namespace_id"
    bound: dict[str, Value] = {"namespace_id": namespace_id}
    if shared:
        above = f"""{above} UNION ALL SELECT s.group_id FROM project_shares s
            WHERE s.project_id = :project_id AND s.expires_on > :today"""
        bound["project_id"] = project_id
    return groups(actor, query, rule=READ_GROUP.assuming({admin: actor.admin})).where(f"g.id IN ({above})", **bound)


def group_locations(actor: Actor, search: str, group: GroupRow) -> Selection:
    """The groups into which the actor may move this one: those that they own, not below it, and no less visible."""
    query = ListGroups(search=search or UNSET)
    selection = groups(actor, query, rule=ADMIN_GROUP.assuming({admin: actor.admin}))
    return selection.where(
        """g.id NOT IN (SELECT t.group_id FROM group_tree t WHERE t.ancestor_id = :group_id)
           AND g.id <> :parent_id AND g.visibility IN :visibilities""",
        group_id=group.id,
        parent_id=group.parent_id or 0,
        visibilities=[each for each in VISIBILITIES if not exceeds(group.visibility, each)],
    )


def _listed_for(actor: Actor, query: ListGroups) -> Rule:
    if actor.anonymous:
        return public_group
    if actor.admin:
        return TRUE
    # Compat: signed-in callers see fewer groups than anonymous ones, unless they ask for all that are available.
    return READ_GROUP.assuming({admin: False}) if query.all_available else BELONG_TO_GROUP


_OWNED: LiteralString = """g.id IN (
    SELECT m.source_id FROM members m
    WHERE m.user_id = :actor AND m.source_kind = 'group' AND m.level >= 50 AND m.expires_on > :today)"""
_FILTERS: Filters = {
    "owned": only_if(_OWNED),
    "min_access_level": lambda _, level: Sql(GROUP_LEVEL_RULES[level].for_scan),
    "top_level_only": only_if("n.parent_id IS NULL"),
    "visibility": compared("g.visibility"),
    "skip_groups": compared("g.id", "NOT IN"),
    "search": lambda _, words: matching(words, "n.name_folded", "n.path_folded"),
}


def order(query: ListGroups) -> Order:
    """The order that the query asks for; ties are broken by id in the same direction."""
    # No order has the similarity to the words of the search: those are by name.
    return _ORDERS.get(query.order_by, _BY_NAME).directed(query.sort)


def own_projects(actor: Actor, group: GroupRow) -> Selection:
    """The projects directly in the group that the caller may see: members of the group see all of them."""
    return _projects(actor, group, _OWN, TRUE if group.member else READ_PROJECT)


def shared_projects(actor: Actor, group: GroupRow) -> Selection:
    """The projects shared with the group that the caller may see."""
    return _projects(actor, group, _SHARED, READ_PROJECT)


def all_projects(actor: Actor, group: GroupRow, *, shared: bool, below: bool) -> Selection:
    """The group's own projects, with `shared` those shared with it, with `below` those of its subgroups."""
    own: LiteralString = _BELOW if below else _OWN
    source: LiteralString = f"{own} UNION ALL {_SHARED}" if shared else own
    return _projects(actor, group, source, in_group | READ_PROJECT if group.member else READ_PROJECT)


def _projects(actor: Actor, group: GroupRow, source: LiteralString, rule: Rule) -> Selection:
    condition: LiteralString = f"p.deleted_at IS NULL AND {rule.assuming({admin: actor.admin}).for_scan}"
    return Selection(f"({source}) p", condition, group_id=group.id, **actor.bound)


in_group = Condition("in_group", "(p.namespace_id = :group_id)")

# Selected by the group alone, so that neither engine scans all projects to find them.
_OWN: LiteralString = "SELECT q.* FROM projects q WHERE q.namespace_id = :group_id"
_BELOW: LiteralString = """
    SELECT q.* FROM group_tree t JOIN projects q ON q.namespace_id = t.group_id WHERE t.ancestor_id = :group_id"""
_SHARED: LiteralString = """
    SELECT q.* FROM project_shares s JOIN projects q ON q.id = s.project_id
    WHERE s.group_id = :group_id AND s.expires_on > :today AND q.namespace_id <> :group_id"""
