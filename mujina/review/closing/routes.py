"""Merge requests that close an issue, and issues that a merge request closes."""

from mujina.kernel.db.sql.selection import ascending, descending
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import get
from mujina.kernel.lists.pages import load_documents, load_documents_of
from mujina.planning.issues.entities import DOCUMENTS
from mujina.planning.issues.rules import find_issue
from mujina.planning.issues.views.issue import Issue
from mujina.review.closing.operations import closes
from mujina.review.closing.related import related
from mujina.review.closing.rules import closing, find_closing_texts
from mujina.review.merge_requests.filters import LISTED_REQUESTS
from mujina.review.merge_requests.rules import find_merge_request
from mujina.review.merge_requests.views.listing import load_summaries
from mujina.review.merge_requests.views.merge_request import MergeRequest, MergeRequestSummary


@get("/projects/:id/issues/:issue_iid/closed_by")
async def list_merge_requests_closing_issue(
    call: Call, id: Ref, issue_iid: int, page: Page
) -> Paged[MergeRequestSummary]:
    async with call.reading() as tx:
        issue = await find_issue(tx, call.actor, id, issue_iid)
        return await load_summaries(tx, closing(call.actor, issue), descending("mr.id"), page)


@get("/projects/:id/issues/:issue_iid/related_merge_requests")
async def list_merge_requests_related_to_issue(call: Call, id: Ref, issue_iid: int, page: Page) -> Paged[MergeRequest]:
    """List the merge requests that close or mention an issue."""
    async with call.reading() as tx:
        issue = await find_issue(tx, call.actor, id, issue_iid)
        return await load_documents(
            LISTED_REQUESTS.documents, tx, related(call.actor, issue), descending("mr.id"), page
        )


@get("/projects/:id/merge_requests/:merge_request_iid/closes_issues", anonymous=True)
async def list_issues_closed_by_merge_request(call: Call, id: Ref, merge_request_iid: int, page: Page) -> Paged[Issue]:
    async with call.reading() as tx:
        request = await find_merge_request(tx, call.actor, id, merge_request_iid)
        closed = await closes(tx, call.actor, await find_closing_texts(tx, request.id))
        ids = page.cut([issue.id for issue in closed])
        order = ascending("i.project_id", "i.id")
        return ids.with_items(await load_documents_of(DOCUMENTS, tx, list(ids.items), order))
