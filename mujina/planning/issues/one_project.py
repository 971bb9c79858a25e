"""The issues of one project: it is found, judged and looked into by one statement."""

from functools import cache, lru_cache
from typing import Any, LiteralString

import msgspec

from mujina.kernel import errors
from mujina.kernel.actor import Actor, Kind
from mujina.kernel.db.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.paging import Page, Paged
from mujina.kernel.params import Ref
from mujina.kernel.rules import TRUE, Condition, Facts, admin, known_of
from mujina.planning.issues import entities, filters
from mujina.planning.issues.entities import AUTHOR_AND_MILESTONE, KNOWN_TOTAL, Issue, IssueView, ListedIssueView
from mujina.planning.issues.params import ListIssues
from mujina.planning.issues.reach import kept_count, own_confidential
from mujina.planning.issues.rules import READ_ISSUE, issues_enabled
from mujina.workspaces.members.access import reporter
from mujina.workspaces.projects.rules import PROJECT_AT, READ_PROJECT

_reporter_here = Condition("reporter_here", "((SELECT p.level FROM p) >= 20)")
"""`reporter`, asked once and not of each issue."""


class _Here(msgspec.Struct, frozen=True):
    """What a kind of actor may see in the project `p`, as SQL."""

    project_readable: LiteralString
    mine: LiteralString
    """`= …`: the project, unless the actor may not look into it; that takes no longer than if it were missing."""
    issues: LiteralString
    count: LiteralString
    """How many issues of `:state`, without counting them one by one."""


@cache
def _here(kind: Kind) -> _Here:
    known = known_of(kind)
    readable, whole = READ_PROJECT.given(known), (_reporter_here | admin).given(known)
    there: Facts = {READ_PROJECT: True, issues_enabled: True, reporter: _reporter_here}
    mine = f"= (SELECT p.id FROM p WHERE p.issues_enabled AND {readable.one})"
    own = "0" if whole is TRUE else f"CASE WHEN {whole.one} THEN 0 ELSE ({own_confidential(mine)}) END"
    return _Here(
        project_readable=readable.one,
        mine=mine,
        issues=f"i.project_id {mine} AND i.deleted_at IS NULL AND {READ_ISSUE.given(there).given(known).many}",
        count=f"SELECT ({kept_count(mine, whole.one)}) + {own}",
    )


async def listed(tx: Tx, actor: Actor, ref: Ref, query: ListIssues, page: Page) -> Paged[Issue]:
    """One page of the project's issues that the query asks for, and how many there are."""
    here = _here(actor.kind)
    chosen = Selection("issues i", here.issues, **ref.bound, **actor.bound)
    filters.in_state(chosen, query)
    filters.narrow(chosen, query, here.mine)
    count = chosen.count if filters.narrowed(query) else here.count
    order, bound = filters.order(query), page.bound
    along = order
    if page.far:
        total: int = await tx.value(f"WITH {PROJECT_AT} SELECT ({count})", **chosen.bound)
        along, bound = page.nearest(order, total)
        count, bound["total"] = KNOWN_TOTAL, total
    rows = await tx.rows(
        tuple[Any, ...], _page(here.project_readable, count, chosen.text, along, order), **chosen.bound, **bound
    )
    if not rows or not rows[0][-1]:
        raise errors.not_found("Project")
    total = rows[0][-2]
    if rows[0][0] is None:
        return page.of([], total)
    return page.of(
        await entities.with_labels_and_assignees(tx, msgspec.convert(rows, list[ListedIssueView], strict=False)), total
    )


@lru_cache(1024)
def _page(
    readable: LiteralString, count: LiteralString, chosen: LiteralString, along: LiteralString, order: LiteralString
) -> LiteralString:
    """The page's ids along an index first, then only those rows. A page without any has one row, which tells the rest."""
    return f"""
        WITH {PROJECT_AT}
        SELECT {IssueView.columns}, ({count}), {readable} FROM p JOIN routes r ON r.project_id = p.id
        LEFT JOIN issues i ON i.id IN (SELECT i.id {chosen} ORDER BY {along} LIMIT :limit OFFSET :offset)
        {AUTHOR_AND_MILESTONE} ORDER BY {order}"""
