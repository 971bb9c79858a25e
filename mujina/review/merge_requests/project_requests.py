"""The merge requests of one project, in any state or one: a statement finds the project, checks access and reads the page."""

from functools import cache
from typing import LiteralString

import msgspec

from mujina.kernel import errors
from mujina.kernel.db.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import Actor, Kind
from mujina.kernel.permissions.rules import known_of
from mujina.review.merge_requests import filters
from mujina.review.merge_requests.documents import DOCUMENTS
from mujina.review.merge_requests.params import ListMergeRequests
from mujina.review.merge_requests.readable_projects import kept_count, merging_count
from mujina.review.merge_requests.rules import READ_MERGE_REQUESTS
from mujina.review.merge_requests.views import MergeRequest
from mujina.workspaces.projects.document_lists import listed_in_project
from mujina.workspaces.projects.rules import READ_PROJECT


class _Conditions(msgspec.Struct, frozen=True):
    """The rows that a kind of actor may see of the project `p`, as SQL."""

    rights: LiteralString
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
    """One page and the total, for a query that is not `filters.has_filters`."""
    conditions = _conditions(actor.kind)
    chosen = Selection("merge_requests mr", f"mr.project_id {conditions.project}", **ref.bound, **actor.bound)
    chosen = filters.apply_filters(filters.in_state(chosen, query.state), query)
    rights, requests = await listed_in_project(
        DOCUMENTS, tx, chosen, filters.order(query), page, count=conditions.count, rights=conditions.rights
    )
    project_readable, all_readable = rights or (False, False)
    if not project_readable:
        raise errors.not_found("Project")
    if not all_readable:
        raise errors.forbidden()
    return requests
