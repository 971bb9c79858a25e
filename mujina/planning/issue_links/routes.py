"""Links between issues."""

from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import delete, get, post
from mujina.planning.issue_links import entities, operations
from mujina.planning.issue_links.entities import IssueLink, RelatedIssue
from mujina.planning.issue_links.params import CreateIssueLink
from mujina.planning.issue_links.rules import find_link, related
from mujina.planning.issues.rules import ADMIN_ISSUE, find_issue


@get("/projects/:id/issues/:issue_iid/links")
async def list_issue_links(call: Call, id: Ref, issue_iid: int, page: Page) -> Paged[RelatedIssue]:
    async with call.reading() as tx:
        issue = await find_issue(tx, call.actor, id, issue_iid)
        selection = related(call.actor, issue.id)
        return await entities.load_page(tx, selection, page)


@post("/projects/:id/issues/:issue_iid/links")
async def create_issue_link(call: Call, id: Ref, issue_iid: int, change: CreateIssueLink) -> IssueLink:
    async with call.transaction() as tx:
        source = await find_issue(tx, call.actor, id, issue_iid, to=ADMIN_ISSUE)
        target = await find_issue(
            tx, call.actor, Ref(change.target_project_id), change.target_issue_iid, to=ADMIN_ISSUE
        )
        return await entities.load_one(tx, await operations.create(tx, call.actor, source, target, change.link_type))


# Compat: deleting a link responds with 200 and the link.
@delete("/projects/:id/issues/:issue_iid/links/:issue_link_id", status=200)
async def delete_issue_link(call: Call, id: Ref, issue_iid: int, issue_link_id: int) -> IssueLink:
    async with call.transaction() as tx:
        issue = await find_issue(tx, call.actor, id, issue_iid, to=ADMIN_ISSUE)
        link = await find_link(tx, call.actor, issue, issue_link_id)
        call.unless_modified(link.created_at)
        shown = await entities.load_one(tx, link)
        await operations.remove(tx, call.actor, issue, link)
        return shown
