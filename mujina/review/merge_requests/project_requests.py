"""The merge requests of one project, in any state or one: a statement finds the project, checks access and reads the page."""

from functools import cache, lru_cache
from typing import Any, LiteralString

import msgspec

from mujina.kernel import errors
from mujina.kernel.actor import Actor, Kind
from mujina.kernel.db.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.paging import Page, Paged
from mujina.kernel.params import Ref
from mujina.kernel.rules import known_of
from mujina.planning.issues.documents import KNOWN_TOTAL
from mujina.review.merge_requests import filters
from mujina.review.merge_requests.entities import AUTHOR_MILESTONE_JOIN, MergeRequest, MergeRequestView, in_lists
from mujina.review.merge_requests.params import ListMergeRequests
from mujina.review.merge_requests.readable_projects import kept_count, merging_count
from mujina.review.merge_requests.rules import READ_MERGE_REQUESTS
from mujina.workspaces.projects.rules import PROJECT_AT, READ_PROJECT


class _Conditions(msgspec.Struct, frozen=True):
    """What a kind of actor may see of the project `p`, as SQL."""

    readable: LiteralString
    """Two columns: whether the actor may read the project, and its requests."""
    project: LiteralString
    """`= …`: the project; nothing if the actor may not read its requests."""
    count: LiteralString
    """The number of requests of `:state`, from kept counts."""


@cache
def _conditions(kind: Kind) -> _Conditions:
    known = known_of(kind)
    readable, all_readable = READ_PROJECT.given(known).one, READ_MERGE_REQUESTS.given(known).one
    project = f"= (SELECT p.id FROM p WHERE {all_readable})"
    count = f"SELECT ({kept_count(project)}) - ({merging_count(project)})"
    return _Conditions(f"{readable}, {all_readable}", project, count)


async def listed(tx: Tx, actor: Actor, ref: Ref, query: ListMergeRequests, page: Page) -> Paged[MergeRequest]:
    """One page and the total, for a query that is not `filters.narrowed`."""
    conditions = _conditions(actor.kind)
    chosen = Selection("merge_requests mr", f"mr.project_id {conditions.project}", **ref.bound, **actor.bound)
    filters.narrow(chosen, query)
    order, bound, count = filters.order(query), page.bound, conditions.count
    walked = order
    if page.far:
        total: int = await tx.value(f"WITH {PROJECT_AT} SELECT ({count})", **chosen.bound)
        walked, bound = page.nearest(order, total)
        count, bound["total"] = KNOWN_TOTAL, total
    rows = await tx.rows(
        tuple[Any, ...], _page(conditions.readable, count, chosen.text, walked, order), **chosen.bound, **bound
    )
    *_, total, project_readable, all_readable = rows[0] if rows else (0, False, False)
    if not project_readable:
        raise errors.not_found("Project")
    if not all_readable:
        raise errors.forbidden()
    found = [] if rows[0][0] is None else msgspec.convert(rows, list[MergeRequestView], strict=False)
    return page.of(await in_lists(tx, found), total)


@lru_cache(1024)
def _page(
    readable: LiteralString, count: LiteralString, chosen: LiteralString, walked: LiteralString, order: LiteralString
) -> LiteralString:
    """The ids of the page come from an index, then only those rows are read; an empty page has one row without a request."""
    return f"""
        WITH {PROJECT_AT}
        SELECT {MergeRequestView.columns}, ({count}), {readable} FROM p JOIN routes r ON r.project_id = p.id
        LEFT JOIN merge_requests mr ON mr.id IN (SELECT mr.id {chosen} ORDER BY {walked} LIMIT :limit OFFSET :offset)
        {AUTHOR_MILESTONE_JOIN} ORDER BY {order}"""
