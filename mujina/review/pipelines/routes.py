"""The pipelines of a merge request."""

from mujina.code.pipelines import entities
from mujina.code.pipelines.entities import Pipeline
from mujina.code.pipelines.rules import READ_PIPELINES
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import get
from mujina.review.merge_requests.rules import find_merge_request
from mujina.review.pipelines import operations
from mujina.workspaces.projects.rules import find_project


@get("/projects/:id/merge_requests/:merge_request_iid/pipelines", anonymous=True)
async def list_merge_request_pipelines(call: Call, id: Ref, merge_request_iid: int, page: Page) -> Paged[Pipeline]:
    async with call.reading() as tx:
        await find_project(tx, call.actor, id, to=READ_PIPELINES)
        request = await find_merge_request(tx, call.actor, id, merge_request_iid)
    if request.source_project_id is None:
        return page.of([], 0)
    commits = await operations.commits_with_pipelines(call.services, request, request.source_project_id)
    async with call.reading() as tx:
        selection = entities.on_branch(call.actor, request.source_project_id, request.source_branch, commits)
        return await entities.load_page(tx, selection, page)
