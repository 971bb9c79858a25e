"""Lists of epics of a group and of the groups below it: their parameters as conditions."""

from typing import LiteralString

from mujina.kernel.actor import Actor
from mujina.kernel.db.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.paging import Page
from mujina.kernel.rules import TRUE, Rule, admin
from mujina.planning.epics.params import ListEpics
from mujina.planning.epics.rules import READ_EPIC
from mujina.workspaces.groups.rules import GroupRow

_COUNTED = frozenset({"order_by", "sort"})
"""Parameters that leave the total to the kept counts."""


async def epics(tx: Tx, actor: Actor, group: GroupRow, query: ListEpics, page: Page) -> tuple[Selection, int]:
    """The epics of the group and of the readable groups below it that match the query, and their number.

    The epics of a few groups are collected and sorted. If that is more work than to follow the order of all epics
    until the page is full, the selection is one that databases read in that order.
    """
    # Members of the group are members of all groups below.
    rule = TRUE if group.member or actor.admin else READ_EPIC.given({admin: False})
    if not query.given().keys() <= _COUNTED:
        collected = _narrowed(_collected(actor, group, rule), query)
        return collected, await collected.total(tx)
    [(total, newest)] = await tx.rows(
        tuple[int, int],
        f"""SELECT CAST(coalesce(sum(c.n), 0) AS bigint), coalesce((SELECT max(e.id) FROM epics e), 0)
            FROM {_below(rule)} CROSS JOIN epic_counts c
            WHERE t.ancestor_id = :group_id AND c.group_id = t.group_id AND {rule.many}""",
        group_id=group.id,
        **actor.bound,
    )
    if page.end * newest < total * total:
        return _walked(actor, group, rule), total
    return _collected(actor, group, rule), total


def order(query: ListEpics) -> LiteralString:
    """The requested order; the id breaks ties in the same direction."""
    direction: LiteralString = "ASC" if query.sort == "asc" else "DESC"
    # The order of ids is the order of creation.
    first: LiteralString = f"e.updated_at {direction}, " if query.order_by == "updated_at" else ""
    return f"{first}e.id {direction}"


def _collected(actor: Actor, group: GroupRow, rule: Rule) -> Selection:
    return Selection(
        f"{_below(rule)} CROSS JOIN epics e",
        f"t.ancestor_id = :group_id AND e.group_id = t.group_id AND {rule.many}",
        group_id=group.id,
        **actor.bound,
    )


def _walked(actor: Actor, group: GroupRow, rule: Rule) -> Selection:
    # A scalar subquery is asked for each epic; PostgreSQL would turn EXISTS into a join over the tree.
    return Selection(
        "epics e",
        f"""coalesce((SELECT {rule.many} FROM {_below(rule)}
            WHERE t.ancestor_id = :group_id AND t.group_id = e.group_id), FALSE)""",
        group_id=group.id,
        **actor.bound,
    )


def _below(rule: Rule) -> LiteralString:
    """The tree `t`, with the groups `g` themselves if the rule asks about them."""
    return "group_tree t" if rule is TRUE else "group_tree t JOIN groups g ON g.id = t.group_id"


def _narrowed(chosen: Selection, query: ListEpics) -> Selection:
    if isinstance(query.author_id, int):
        chosen.only("e.author_id = :author_id", author_id=query.author_id)
    if query.search:
        chosen.matching(query.search, "e.title_folded", "e.description_folded")
    return chosen
