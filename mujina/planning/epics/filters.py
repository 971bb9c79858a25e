"""Lists of epics of a group and of the groups below it: their parameters as conditions."""

from typing import LiteralString

from mujina.kernel.db.sql.selection import Order, Selection, Sql, ascending, matching
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page
from mujina.kernel.lists.filters import Filters, apply_filters, compared
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.permissions.rules import TRUE, Rule, admin
from mujina.planning.epics.params import ListEpics
from mujina.planning.epics.rules import READ_EPIC
from mujina.workspaces.groups.rules import GroupRow, group_visible_to_all
from mujina.workspaces.members.access import GROUPS_ABOVE, TOPMOST_GRANTS, group_guest, group_guest_each

_COUNTED = frozenset({"order_by", "sort"})
"""Parameters that leave the total to the kept counts."""
_ALL: LiteralString = """
    (SELECT CAST(coalesce(sum(c.n), 0) AS bigint) FROM epic_counts c WHERE c.group_id = :group_id)"""
# The alias `g` stands for what has the visibility of a group, here the counts of groups that have it: the visible ones;
# what else is in the trees of the actor's grants; and the groups above those.
_READABLE: LiteralString = f"""
    (SELECT CAST(coalesce(sum(g.n), 0) AS bigint) FROM epic_counts g
     WHERE g.group_id = :group_id AND {group_visible_to_all.for_row})
    + (SELECT CAST(coalesce(sum(g.n), 0) AS bigint) FROM ({TOPMOST_GRANTS}) m
       JOIN group_tree t ON t.group_id = m.group_id AND t.ancestor_id = :group_id
       JOIN epic_counts g ON g.group_id = m.group_id WHERE NOT {group_visible_to_all.for_row})
    + (SELECT count(*) FROM (SELECT DISTINCT above.ancestor_id FROM ({GROUPS_ABOVE}) above) mine
       CROSS JOIN groups g CROSS JOIN group_tree t CROSS JOIN epics e
       WHERE g.id = mine.ancestor_id AND t.group_id = g.id AND t.ancestor_id = :group_id AND e.group_id = g.id
       AND NOT {group_visible_to_all.for_row} AND NOT {group_guest_each.for_row})"""


async def epics(tx: Tx, actor: Actor, group: GroupRow, query: ListEpics, page: Page) -> Selection:
    """The epics of the group and of the readable groups below it that match the query.

    The epics of the groups are collected and sorted. If that is more work than to follow the order of all epics until
    the page is full, the selection is one that databases read in that order.
    """
    # Members of the group are members of all groups below.
    rule = TRUE if group.member or actor.admin else READ_EPIC.assuming({admin: False})
    if not query.sent_fields().keys() <= _COUNTED:
        return apply_filters(_collected(actor, group, rule), query, _FILTERS)
    [(total, newest)] = await tx.rows(
        tuple[int, int],
        f"SELECT {_ALL if rule is TRUE else _READABLE}, coalesce((SELECT max(e.id) FROM epics e), 0)",
        group_id=group.id,
        **actor.bound,
    )
    along = page.end * newest < total * total
    return (_walked if along else _collected)(actor, group, rule).counted(total)


def order(query: ListEpics) -> Order:
    """The requested order; the id breaks ties in the same direction. The order of ids is the order of creation."""
    chosen = ascending("e.updated_at", "e.id") if query.order_by == "updated_at" else ascending("e.id")
    return chosen.directed(query.sort)


def _collected(actor: Actor, group: GroupRow, rule: Rule) -> Selection:
    below: LiteralString = "group_tree t" if rule is TRUE else "group_tree t JOIN groups g ON g.id = t.group_id"
    return Selection(
        f"{below} CROSS JOIN epics e",
        f"t.ancestor_id = :group_id AND e.group_id = t.group_id AND {rule.for_scan}",
        group_id=group.id,
        **actor.bound,
    )


def _walked(actor: Actor, group: GroupRow, rule: Rule) -> Selection:
    below: LiteralString = "group_tree t" if rule is TRUE else "group_tree t JOIN groups g ON g.id = t.group_id"
    each = rule.assuming({group_guest: group_guest_each})
    # A scalar subquery is asked for each epic; PostgreSQL would turn EXISTS into a join over the tree.
    return Selection(
        "epics e",
        f"""coalesce((SELECT TRUE FROM {below}
            WHERE t.ancestor_id = :group_id AND t.group_id = e.group_id AND {each.for_row}), FALSE)""",
        group_id=group.id,
        **actor.bound,
    )


def _by_label(name: LiteralString, titles: list[str]) -> Sql:
    """Epics that have all these labels."""
    return Sql(
        f"""(SELECT count(DISTINCT l.title) FROM epic_labels el JOIN labels l ON l.id = el.label_id
            WHERE el.epic_id = e.id AND l.title IN :{name}) = :{name}_count""",
        **{name: titles, f"{name}_count": len(titles)},
    )


_FILTERS: Filters = {
    "author_id": compared("e.author_id"),
    "search": lambda _, words: matching(words, "e.title_folded", "e.description_folded"),
    "label_name": _by_label,
}
