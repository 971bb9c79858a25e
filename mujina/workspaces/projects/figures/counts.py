"""How many projects a caller sees: read from the counts kept by namespace, without a scan of projects."""

from functools import cache
from typing import LiteralString

from mujina.kernel.db.sql.selection import Selection, Sql
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
    return query.sent_fields().keys() <= _KNOWN


def count(actor: Actor, query: ListProjects) -> Sql:
    """A statement for how many there are: those visible through their namespace, then those with a grant of their own."""
    in_reach, granted = _seen(actor.admin, bool(query.membership))
    kept = apply_filters(Selection("project_counts p", in_reach, **actor.bound), query)
    others = apply_filters(Selection("projects p", granted), query)
    return Sql(
        f"SELECT CAST(coalesce((SELECT sum(p.n) {kept.text}), 0) AS bigint) + (SELECT count(*) {others.text})",
        **kept.bound,
    )


@cache
def _seen(by_admin: bool, membership: bool) -> tuple[LiteralString, LiteralString]:
    """Whether a project is visible through its namespace, and whether it is so through a grant of its own alone."""
    rule = (guest if membership else READ_PROJECT).assuming({admin: by_admin}).assuming({guest: guest_in_reach})
    return rule.for_scan, f"p.deleted_at IS NULL AND {(guest_granted & ~rule).for_scan}"


VISIBLE_TO_EVERYONE = Sql(
    f"""SELECT CAST(coalesce(sum(p.n), 0) AS bigint) FROM project_counts p
        WHERE NOT p.archived AND {visible_to_all.for_scan}"""
)
"""A statement for how many projects `filters.visible_to_everyone` selects."""


def apply_filters(selection: Selection, query: ListProjects) -> Selection:
    """Apply the filters that the kept counts know."""
    # Compat: without `archived=true` archived projects are left out, with it only they are listed.
    selection = selection.where("p.archived" if query.archived else "NOT p.archived")
    if not query.visibility:
        return selection
    return selection.where("p.visibility = :visibility", visibility=query.visibility)
