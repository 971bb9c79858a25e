"""How many projects a caller sees: read from the counts kept by namespace, without a scan of projects."""

from typing import LiteralString

from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.lists import filters
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.permissions.rules import admin
from mujina.workspaces.members.access import guest, guest_granted, guest_in_reach
from mujina.workspaces.projects.params import ListProjects
from mujina.workspaces.projects.rules import READ_PROJECT, visible_to_all

_SHOWN_DIFFERENTLY = frozenset({"order_by", "sort", "simple", "statistics", "with_custom_attributes", "pagination"})
_KNOWN = _SHOWN_DIFFERENTLY | {"archived", "visibility", "membership"}
"""Parameters that the kept counts can answer."""


def known(query: ListProjects) -> bool:
    """Whether the kept counts give the length of this list of all projects."""
    return query.given().keys() <= _KNOWN


async def total(tx: Tx, actor: Actor, query: ListProjects) -> int:
    """How many there are: those visible through their namespace, then those with a grant of their own."""
    rule = (guest if query.membership else READ_PROJECT).given({admin: actor.admin}).given({guest: guest_in_reach})
    kept = apply_filters(Selection("project_counts p", rule.for_scan, **actor.bound), query)
    granted: LiteralString = f"p.deleted_at IS NULL AND {(guest_granted & ~rule).for_scan}"
    others = apply_filters(Selection("projects p", granted), query)
    return await tx.value(
        f"SELECT CAST(coalesce((SELECT sum(p.n) {kept.text}), 0) AS bigint) + (SELECT count(*) {others.text})",
        **kept.bound,
    )


async def visible_to_everyone(tx: Tx, actor: Actor) -> int:
    """How many projects `filters.visible_to_everyone` selects."""
    kept = Selection("project_counts p", f"NOT p.archived AND {visible_to_all.for_scan}", **actor.bound)
    return await tx.value(f"SELECT CAST(coalesce(sum(p.n), 0) AS bigint) {kept.text}", **kept.bound)


def apply_filters(selection: Selection, query: ListProjects) -> Selection:
    """Apply the filters that the kept counts know."""
    # Compat: without `archived=true` archived projects are left out, with it only they are listed.
    selection = selection.where("p.archived" if query.archived else "NOT p.archived")
    return filters.apply_filters(selection, query, _FILTERS)


_FILTERS: filters.Filters = {"visibility": filters.compared("p.visibility")}
