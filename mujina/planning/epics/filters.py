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

    The epics of the groups are collected and sorted. If that is more work than to follow the order of all epics until
    the page is full, the selection is one that databases read in that order.
    """
    # Members of the group are members of all groups below.
    if not (group.member or actor.admin):
        return await _counted(tx, _narrowed(_collected(actor, group, READ_EPIC.given({admin: False})), query))
    if not query.given().keys() <= _COUNTED:
        return await _counted(tx, _narrowed(_collected(actor, group, TRUE), query))
    [(total, newest)] = await tx.rows(
        tuple[int, int],
        """SELECT coalesce((SELECT c.n FROM epic_counts c WHERE c.group_id = :group_id), 0),
           coalesce((SELECT max(e.id) FROM epics e), 0)""",
        group_id=group.id,
    )
    along = page.end * newest < total * total
    return _walked(group) if along else _collected(actor, group, TRUE), total


async def _counted(tx: Tx, chosen: Selection) -> tuple[Selection, int]:
    return chosen, await chosen.total(tx)


def order(query: ListEpics) -> LiteralString:
    """The requested order; the id breaks ties in the same direction."""
    direction: LiteralString = "ASC" if query.sort == "asc" else "DESC"
    # The order of ids is the order of creation.
    first: LiteralString = f"e.updated_at {direction}, " if query.order_by == "updated_at" else ""
    return f"{first}e.id {direction}"


def _collected(actor: Actor, group: GroupRow, rule: Rule) -> Selection:
    below: LiteralString = "group_tree t" if rule is TRUE else "group_tree t JOIN groups g ON g.id = t.group_id"
    return Selection(
        f"{below} CROSS JOIN epics e",
        f"t.ancestor_id = :group_id AND e.group_id = t.group_id AND {rule.many}",
        group_id=group.id,
        **actor.bound,
    )


def _walked(group: GroupRow) -> Selection:
    # A scalar subquery is asked for each epic; PostgreSQL would turn EXISTS into a join over the tree.
    return Selection(
        "epics e",
        """coalesce((SELECT TRUE FROM group_tree t
           WHERE t.ancestor_id = :group_id AND t.group_id = e.group_id), FALSE)""",
        group_id=group.id,
    )


def _narrowed(chosen: Selection, query: ListEpics) -> Selection:
    if isinstance(query.author_id, int):
        chosen.only("e.author_id = :author_id", author_id=query.author_id)
    if query.search:
        chosen.matching(query.search, "e.title_folded", "e.description_folded")
    return chosen
