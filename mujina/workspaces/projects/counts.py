"""How many projects a caller sees: from the counts kept for each namespace, not project by project."""

from mujina.kernel.actor import Actor
from mujina.kernel.db.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.rules import admin
from mujina.workspaces.members.access import guest, guest_granted, guest_in_reach
from mujina.workspaces.projects.params import ListProjects
from mujina.workspaces.projects.rules import READ_PROJECT

_KNOWN = frozenset(
    {"archived", "visibility", "order_by", "sort", "simple", "membership", "statistics", "with_custom_attributes"}
)
"""Parameters that do not take a list beyond what the kept counts know."""


def known(query: ListProjects) -> bool:
    """Whether the kept counts tell how long this list of all projects is."""
    return query.given().keys() <= _KNOWN


async def total(tx: Tx, actor: Actor, query: ListProjects) -> int:
    """How many there are: all that is seen by way of the namespace, then single projects one was let into."""
    rule = (guest if query.membership else READ_PROJECT).given({admin: actor.admin}).given({guest: guest_in_reach})
    kept = Selection("project_counts p", rule.many, **actor.bound)
    others = Selection("projects p", f"p.deleted_at IS NULL AND {(guest_granted & ~rule).many}")
    for chosen in (kept, others):
        narrow(chosen, query)
    return await tx.value(
        f"SELECT CAST(coalesce((SELECT sum(p.n) {kept.text}), 0) AS bigint) + (SELECT count(*) {others.text})",
        **kept.bound,
    )


def narrow(chosen: Selection, query: ListProjects) -> None:
    """Keep what the query asks for, as far as a count can tell."""
    # Compat: without `archived=true` archived projects are left out, with it only they are listed.
    chosen.only("p.archived" if query.archived else "NOT p.archived")
    if query.visibility:
        chosen.only("p.visibility = :visibility", visibility=query.visibility)
