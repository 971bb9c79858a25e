"""Links between issues."""

from mujina.kernel.http import Call, Json
from mujina.kernel.paging import Page
from mujina.kernel.params import Ref
from mujina.kernel.routing import delete, get, post
from mujina.planning.issue_links import entities, operations
from mujina.planning.issue_links.params import CreateLink
from mujina.planning.issue_links.rules import find_link, related
from mujina.planning.issues.rules import ADMIN_ISSUE, find_issue


@get("/projects/:id/issues/:issue_iid/links")
async def list_issue_links(call: Call, id: Ref, issue_iid: int, page: Page) -> Json:
    async with call.reading() as tx:
        issue = await find_issue(tx, call.actor, id, issue_iid)
        chosen = related(call.actor, issue)
        return page.of(await entities.listed(tx, chosen, page), await chosen.total(tx))


@post("/projects/:id/issues/:issue_iid/links")
async def create_issue_link(call: Call, id: Ref, issue_iid: int, change: CreateLink) -> Json:
    async with call.transaction() as tx:
        source = await find_issue(tx, call.actor, id, issue_iid, to=ADMIN_ISSUE)
        target = await find_issue(
            tx, call.actor, Ref(change.target_project_id), change.target_issue_iid, to=ADMIN_ISSUE
        )
        await operations.relate(tx, call.actor, source, target)
        return await entities.single(tx, source.id, target.id)


# Compat: deleting a link answers 200 with the link.
@delete("/projects/:id/issues/:issue_iid/links/:issue_link_id", status=200)
async def delete_issue_link(call: Call, id: Ref, issue_iid: int, issue_link_id: int) -> Json:
    async with call.transaction() as tx:
        issue = await find_issue(tx, call.actor, id, issue_iid, to=ADMIN_ISSUE)
        link = await find_link(tx, call.actor, issue, issue_link_id)
        shown = await entities.single(tx, link.source_id, link.target_id)
        await operations.unrelate(tx, call.actor, issue, link)
        return shown
