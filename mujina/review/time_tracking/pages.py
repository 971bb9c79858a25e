"""Tracking time on the page of a merge request."""

from mujina.kernel.html.pages import PageRequest, Redirect, form
from mujina.kernel.http.params import Ref
from mujina.planning.issues.params import TimeFields
from mujina.planning.time_tracking import operations
from mujina.review.merge_requests.declarations.work_item import MERGE_REQUESTS
from mujina.review.merge_requests.rules import UPDATE_MERGE_REQUEST, find_merge_request
from mujina.workspaces.projects.rules import ProjectRow


@form("/{project}/merge_requests/{iid:int}/time", again="/{project}/merge_requests/{iid:int}")
async def track_merge_request_time(request: PageRequest, project: ProjectRow, iid: int, change: TimeFields) -> Redirect:
    estimate = operations.parse_estimate(change.estimate) if change.estimate else None
    spent = operations.parse_spent(change.spent) if change.spent else None
    async with request.transaction() as tx:
        row = await find_merge_request(tx, request.actor, Ref.of(project.id), iid, to=UPDATE_MERGE_REQUEST, hide=True)
        if estimate is not None:
            await operations.estimate(tx, request.actor, MERGE_REQUESTS, row, estimate)
        if spent is not None:
            await operations.spend(tx, request.actor, MERGE_REQUESTS, row, spent)
    return Redirect(f"{request.here}/merge_requests/{iid}", flash="Time saved.")
