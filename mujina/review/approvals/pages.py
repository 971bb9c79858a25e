"""Approving a merge request on its page."""

from mujina.kernel import errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.html.pages import PageRequest, Redirect, form
from mujina.kernel.http.params import Ref
from mujina.review.approvals import operations
from mujina.review.approvals.operations import ApprovableRow
from mujina.review.approvals.params import Approve
from mujina.review.merge_requests.operations import lock
from mujina.review.merge_requests.rules import find_merge_request_as
from mujina.workspaces.projects.rules import ProjectRow

MOVED = "The source branch has new commits. Review them, then approve again."
NOT_OPEN = "Only open merge requests can be approved."
NOT_REVOCABLE = "Only approvals of open merge requests can be revoked."


@form("/{project}/merge_requests/{iid:int}/approve", again="/{project}/merge_requests/{iid:int}")
async def approve_merge_request(request: PageRequest, project: ProjectRow, iid: int, change: Approve) -> Redirect:
    try:
        async with request.transaction() as tx:
            row, approved = await _find(tx, request, project, iid)
            try:
                await operations.approve(tx, request.actor, row, change)
            except errors.Unauthorized:
                if not approved:
                    raise errors.forbidden() from None
    except errors.Conflict:
        raise errors.conflict(MOVED) from None
    except errors.MethodNotAllowed:
        raise errors.unprocessable(NOT_OPEN) from None
    return Redirect(f"{request.here}/merge_requests/{iid}", flash="Approved.")


@form("/{project}/merge_requests/{iid:int}/unapprove", again="/{project}/merge_requests/{iid:int}")
async def unapprove_merge_request(request: PageRequest, project: ProjectRow, iid: int) -> Redirect:
    try:
        async with request.transaction() as tx:
            row, approved = await _find(tx, request, project, iid)
            if approved:
                await operations.unapprove(tx, request.actor, row)
    except errors.MethodNotAllowed:
        raise errors.unprocessable(NOT_REVOCABLE) from None
    flash = "Approval revoked." if approved else "This merge request has no approval of yours."
    return Redirect(f"{request.here}/merge_requests/{iid}", flash=flash)


async def _find(tx: Tx, request: PageRequest, project: ProjectRow, iid: int) -> tuple[ApprovableRow, bool]:
    """The merge request, locked, and whether the actor has approved it: pressing a button twice changes nothing."""
    row = await find_merge_request_as(ApprovableRow, tx, request.actor, Ref.of(project.id), iid, hide=True)
    await lock(tx, row.id)
    return row, request.actor.id in (await operations.read_progress(tx, row)).approved_by
