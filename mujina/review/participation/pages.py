"""Subscribing to a merge request and adding it to the to-do list, on its page."""

from mujina.kernel.html.pages import PageRequest, Redirect, form
from mujina.kernel.http.params import Ref
from mujina.planning.subscriptions.operations import subscribe
from mujina.planning.todos import operations as todos
from mujina.review.merge_requests.noteable import noteable_of
from mujina.review.merge_requests.rules import find_merge_request
from mujina.workspaces.projects.rules import ProjectRow


@form("/{project}/merge_requests/{iid:int}/subscribe", again="/{project}/merge_requests/{iid:int}")
async def subscribe_to_merge_request(request: PageRequest, project: ProjectRow, iid: int) -> Redirect:
    return await _subscribe(request, project, iid, subscribed=True)


@form("/{project}/merge_requests/{iid:int}/unsubscribe", again="/{project}/merge_requests/{iid:int}")
async def unsubscribe_from_merge_request(request: PageRequest, project: ProjectRow, iid: int) -> Redirect:
    return await _subscribe(request, project, iid, subscribed=False)


async def _subscribe(request: PageRequest, project: ProjectRow, iid: int, *, subscribed: bool) -> Redirect:
    async with request.transaction() as tx:
        row = await find_merge_request(tx, request.actor, Ref.of(project.id), iid, hide=True)
        await subscribe(tx, request.actor, "merge_request", row.id, subscribed=subscribed)
    return Redirect(f"/{project.full_path}/merge_requests/{iid}")


@form("/{project}/merge_requests/{iid:int}/todo", again="/{project}/merge_requests/{iid:int}")
async def add_merge_request_todo(request: PageRequest, project: ProjectRow, iid: int) -> Redirect:
    async with request.transaction() as tx:
        row = await find_merge_request(tx, request.actor, Ref.of(project.id), iid, hide=True)
        await todos.mark(tx, request.actor, noteable_of(row))
    return Redirect(f"/{project.full_path}/merge_requests/{iid}", flash="Added to your to-do list.")
