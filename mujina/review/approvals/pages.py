"""Approving a merge request on its page."""

from mujina.kernel import errors
from mujina.kernel.html.pages import PageRequest, Redirect, form
from mujina.kernel.http.params import Ref
from mujina.review.approvals import operations
from mujina.review.approvals.operations import ApprovableRow
from mujina.review.approvals.params import Approve
from mujina.review.merge_requests.rules import find_merge_request_as
from mujina.workspaces.projects.rules import ProjectRow

MOVED = "The source branch has new commits. Review them, then approve again."


@form("/{project}/merge_requests/{iid:int}/approve", again="/{project}/merge_requests/{iid:int}")
async def approve_merge_request(request: PageRequest, project: ProjectRow, iid: int, change: Approve) -> Redirect:
    try:
        async with request.transaction() as tx:
            row = await find_merge_request_as(ApprovableRow, tx, request.actor, Ref.of(project.id), iid, hide=True)
            await operations.approve(tx, request.actor, row, change)
    except errors.Conflict:
        raise errors.conflict(MOVED) from None
    except (errors.Unauthorized, errors.MethodNotAllowed):
        raise errors.forbidden() from None
    return Redirect(f"/{project.full_path}/merge_requests/{iid}", flash="Approved.")


@form("/{project}/merge_requests/{iid:int}/unapprove", again="/{project}/merge_requests/{iid:int}")
async def unapprove_merge_request(request: PageRequest, project: ProjectRow, iid: int) -> Redirect:
    try:
        async with request.transaction() as tx:
            row = await find_merge_request_as(ApprovableRow, tx, request.actor, Ref.of(project.id), iid, hide=True)
            await operations.unapprove(tx, request.actor, row)
    except errors.MethodNotAllowed:
        raise errors.forbidden() from None
    return Redirect(f"/{project.full_path}/merge_requests/{iid}", flash="Approval revoked.")
