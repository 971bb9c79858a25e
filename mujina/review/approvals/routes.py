"""Approvals of merge requests, and how projects ask for them."""

from mujina.kernel import errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import get, post, put
from mujina.kernel.permissions.rules import Rule
from mujina.review.approvals import entities, operations
from mujina.review.approvals.entities import ApprovalRule, ApprovalState, MergeRequestApprovals, ProjectApprovals
from mujina.review.approvals.operations import ApprovableRow
from mujina.review.approvals.params import Approve, ConfigureApprovals, RequireApprovals, SetApprovers
from mujina.review.merge_requests.rules import (
    READ_MERGE_REQUEST,
    READ_MERGE_REQUESTS,
    UPDATE_MERGE_REQUEST,
    find_merge_request_as,
)
from mujina.review.merging import operations as merging
from mujina.workspaces.access_tokens.rules import is_bot
from mujina.workspaces.projects.approvals import configure_approvals
from mujina.workspaces.projects.rules import ADMIN_PROJECT, find_project


@get("/projects/:id/approvals")
async def show_project_approvals(call: Call, id: Ref) -> ProjectApprovals:
    """Show how a project asks for approvals."""
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=ADMIN_PROJECT)
        return await entities.of_project(tx, call.actor, project.id)


@post("/projects/:id/approvals")
async def configure_project_approvals(call: Call, id: Ref, change: ConfigureApprovals) -> ProjectApprovals:
    """Change how a project asks for approvals."""
    async with call.transaction() as tx:
        project = await find_project(tx, call.actor, id, to=ADMIN_PROJECT)
        await configure_approvals(tx, call.actor, project, change.sent_fields())
        return await entities.of_project(tx, call.actor, project.id)


@put("/projects/:id/approvers")
async def set_project_approvers(call: Call, id: Ref, change: SetApprovers) -> ProjectApprovals:
    """Name the users and groups who approve the merge requests of a project."""
    async with call.transaction() as tx:
        project = await find_project(tx, call.actor, id, to=ADMIN_PROJECT)
        await operations.name_for_project(tx, call.actor, project, change)
        return await entities.of_project(tx, call.actor, project.id)


@get("/projects/:id/approval_rules")
async def list_project_approval_rules(call: Call, id: Ref, page: Page) -> Paged[ApprovalRule]:
    """List the approval rules of a project; there are none."""
    # Compat: rules are younger than approvers; clients ask for them before they use approvals.
    async with call.reading() as tx:
        await find_project(tx, call.actor, id, to=READ_MERGE_REQUESTS)
    return page.of([], 0)


@get("/projects/:id/merge_requests/:merge_request_iid/approvals", anonymous=True)
async def show_merge_request_approvals(call: Call, id: Ref, merge_request_iid: int) -> MergeRequestApprovals:
    """Show who approved a merge request, and how many approvals are left."""
    await _check(call, id, merge_request_iid)
    async with call.reading() as tx:
        request = await _find(tx, call, id, merge_request_iid)
        return await entities.of_request(tx, call.actor, request)


@post("/projects/:id/merge_requests/:merge_request_iid/approvals")
async def require_merge_request_approvals(
    call: Call, id: Ref, merge_request_iid: int, change: RequireApprovals
) -> MergeRequestApprovals:
    """Ask for more approvals of a merge request than its project does."""
    async with call.transaction() as tx:
        request = await _find(tx, call, id, merge_request_iid, to=UPDATE_MERGE_REQUEST)
        await operations.require(tx, call.actor, request, change.approvals_required)
        request = await _find(tx, call, id, merge_request_iid)
        return await entities.of_request(tx, call.actor, request)


@put("/projects/:id/merge_requests/:merge_request_iid/approvers")
async def set_merge_request_approvers(
    call: Call, id: Ref, merge_request_iid: int, change: SetApprovers
) -> MergeRequestApprovals:
    """Name the users and groups who approve a merge request."""
    async with call.transaction() as tx:
        request = await _find(tx, call, id, merge_request_iid, to=UPDATE_MERGE_REQUEST)
        await operations.name_for_request(tx, call.actor, request, change)
        return await entities.of_request(tx, call.actor, request)


@post("/projects/:id/merge_requests/:merge_request_iid/approve")
async def approve_merge_request(call: Call, id: Ref, merge_request_iid: int, change: Approve) -> MergeRequestApprovals:
    async with call.transaction() as tx:
        request = await _find(tx, call, id, merge_request_iid, hide=True)
        await operations.approve(tx, call.actor, request, change)
        return await entities.of_request(tx, call.actor, request)


@post("/projects/:id/merge_requests/:merge_request_iid/unapprove")
async def unapprove_merge_request(call: Call, id: Ref, merge_request_iid: int) -> MergeRequestApprovals:
    """Take your approval of a merge request back."""
    async with call.transaction() as tx:
        request = await _find(tx, call, id, merge_request_iid, hide=True)
        await operations.unapprove(tx, call.actor, request)
        return await entities.of_request(tx, call.actor, request)


@put("/projects/:id/merge_requests/:merge_request_iid/reset_approvals", status=202)
async def reset_merge_request_approvals(call: Call, id: Ref, merge_request_iid: int) -> None:
    """Remove all approvals of a merge request: for the bots of access tokens alone."""
    async with call.transaction() as tx:
        await _find(tx, call, id, merge_request_iid, hide=True)
        if not await is_bot(tx, call.actor.id):
            raise errors.unauthorized()
        request = await _find(tx, call, id, merge_request_iid, to=UPDATE_MERGE_REQUEST)
        await operations.reset(tx, request)


@get("/projects/:id/merge_requests/:merge_request_iid/approval_state", anonymous=True)
async def show_merge_request_approval_state(call: Call, id: Ref, merge_request_iid: int) -> ApprovalState:
    """Show the approvals of a merge request as rules."""
    await _check(call, id, merge_request_iid)
    async with call.reading() as tx:
        request = await _find(tx, call, id, merge_request_iid)
        return await entities.state_of_request(tx, call.actor, request)


@get("/projects/:id/merge_requests/:merge_request_iid/approval_rules", anonymous=True)
async def list_merge_request_approval_rules(
    call: Call, id: Ref, merge_request_iid: int, page: Page
) -> Paged[ApprovalRule]:
    """List the approval rules of a merge request; there are none."""
    async with call.reading() as tx:
        await _find(tx, call, id, merge_request_iid)
    return page.of([], 0)


async def _find(
    tx: Tx, call: Call, id: Ref, iid: int, *, to: Rule = READ_MERGE_REQUEST, hide: bool = False
) -> ApprovableRow:
    return await find_merge_request_as(ApprovableRow, tx, call.actor, id, iid, to=to, hide=hide)


async def _check(call: Call, id: Ref, iid: int) -> None:
    """Find the code owners for the commits as they are, unless they are known for these."""
    async with call.reading() as tx:
        request = await _find(tx, call, id, iid)
    await merging.check_for_reader(call.services, request.id)
