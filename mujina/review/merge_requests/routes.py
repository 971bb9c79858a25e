"""Merge requests of projects and groups."""

from mujina.kernel import errors
from mujina.kernel.db.documents import extended
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import delete, get, post, put
from mujina.kernel.lists.pages import load_documents
from mujina.kernel.permissions.actor import Actor
from mujina.planning.milestones.rules import find_milestone
from mujina.planning.work_items.lists.plans import load_page, load_page_of_project
from mujina.review.merge_requests import creating, entities, operations
from mujina.review.merge_requests.filters import BY_PRIORITY, LISTED_REQUESTS, ReviewedProjects, titled_milestone
from mujina.review.merge_requests.params import (
    CreateMergeRequest,
    EditMergeRequest,
    ListMergeRequests,
    ListOwnMergeRequests,
    ListProjectMergeRequests,
    ShowMergeRequest,
)
from mujina.review.merge_requests.rules import (
    DELETE_MERGE_REQUEST,
    READ_MERGE_REQUESTS,
    UPDATE_MERGE_REQUEST,
    MergeRequestRow,
    find_merge_request,
    may_merge,
)
from mujina.review.merge_requests.views.listing import in_view
from mujina.review.merge_requests.views.merge_request import MergeRequest, SimpleMergeRequest, SingleMergeRequest
from mujina.review.merging import operations as merging
from mujina.review.rebasing.operations import is_rebasing
from mujina.review.versions import operations as versions
from mujina.workspaces.groups.rules import find_group
from mujina.workspaces.owners.rules import OwnerKind, find_owner, owner_paths
from mujina.workspaces.projects.rules import find_project


@get("/merge_requests", anonymous=True)
async def list_merge_requests(
    call: Call, query: ListOwnMergeRequests, page: Page
) -> Paged[MergeRequest] | Paged[SimpleMergeRequest]:
    if call.actor.anonymous and query.scope != "all":
        raise errors.unauthorized()
    async with call.listing(wide=LISTED_REQUESTS.has_filters(query)) as tx:
        projects = await ReviewedProjects.everywhere(tx, call.actor, LISTED_REQUESTS.counted_state(query))
        return await _page(tx, call.actor, projects, query, page)


@get("/groups/:id/merge_requests", anonymous=True)
async def list_group_merge_requests(
    call: Call, id: Ref, query: ListMergeRequests, page: Page
) -> Paged[MergeRequest] | Paged[SimpleMergeRequest]:
    async with call.listing(wide=LISTED_REQUESTS.has_filters(query)) as tx:
        group = await find_group(tx, call.actor, id)
        projects = await ReviewedProjects.in_group(tx, call.actor, group.id, LISTED_REQUESTS.counted_state(query))
        return await _page(tx, call.actor, projects, query, page)


@get("/projects/:id/merge_requests", anonymous=True)
async def list_project_merge_requests(
    call: Call, id: Ref, query: ListProjectMergeRequests, page: Page
) -> Paged[MergeRequest] | Paged[SimpleMergeRequest]:
    async with call.listing(wide=query.search) as tx:
        if query.search:
            project = await find_project(tx, call.actor, id, to=READ_MERGE_REQUESTS)
            return await _page(tx, call.actor, ReviewedProjects([project.id], []), query, page)
        found = await load_page_of_project(LISTED_REQUESTS, tx, call.actor, id, query, page)
        return await in_view(tx, query, found)


@get(**owner_paths("/milestones/:milestone_id/merge_requests"))
async def list_merge_requests_of_owner_milestone(
    call: Call, kind: OwnerKind, id: Ref, milestone_id: int, page: Page
) -> Paged[MergeRequest]:
    async with call.searching() as tx:
        owner = await find_owner(tx, call.actor, kind, id)
        milestone = await find_milestone(tx, owner, milestone_id)
        if kind == "group":
            projects = await ReviewedProjects.in_group(tx, call.actor, owner.id, "all")
        else:
            projects = await ReviewedProjects.in_project(tx, call.actor, owner.id)
        selection = projects.rows(call.actor).where(titled_milestone(milestone.title))
        return await load_documents(LISTED_REQUESTS.documents, tx, selection, BY_PRIORITY, page)


async def _page(
    tx: Tx, actor: Actor, projects: ReviewedProjects, query: ListMergeRequests, page: Page
) -> Paged[MergeRequest] | Paged[SimpleMergeRequest]:
    """One page of the requests of these projects that match the query, and their total."""
    return await in_view(tx, query, await load_page(tx, actor, projects, query, page))


@get("/projects/:id/merge_requests/:merge_request_iid", anonymous=True)
async def show_merge_request(
    call: Call, id: Ref, merge_request_iid: int, query: ShowMergeRequest
) -> SingleMergeRequest:
    async with call.reading() as tx:
        request, shown = await entities.load_visible(tx, call.actor, id, merge_request_iid)
    if not await merging.is_checked(call.services, request):
        await merging.check_for_reader(call.services, request.id)
        async with call.reading() as tx:
            request, shown = await entities.load_visible(tx, call.actor, id, merge_request_iid)
    if query.include_diverged_commits_count:
        shown = extended(shown, diverged_commits_count=await operations.count_diverged(call.services, request))
    if query.include_rebase_in_progress:
        async with call.reading() as tx:
            shown = extended(shown, rebase_in_progress=await is_rebasing(tx, request.id))
    return shown


@post("/projects/:id/merge_requests")
async def create_merge_request(call: Call, id: Ref, change: CreateMergeRequest) -> SingleMergeRequest:
    target, iid = await creating.create(call.services, call.actor, id, change)
    async with call.reading() as tx:
        return await _load_one(tx, call, await find_merge_request(tx, call.actor, Ref.of(target.id), iid))


@put("/projects/:id/merge_requests/:merge_request_iid")
async def edit_merge_request(
    call: Call, id: Ref, merge_request_iid: int, change: EditMergeRequest
) -> SingleMergeRequest:
    async with call.reading() as tx:
        request = await find_merge_request(tx, call.actor, id, merge_request_iid, to=UPDATE_MERGE_REQUEST)
    version = await operations.prepare_edit(call.services, request, change)
    async with call.transaction() as tx:
        request = await find_merge_request(tx, call.actor, id, merge_request_iid, to=UPDATE_MERGE_REQUEST)
        await operations.edit(tx, call.actor, request, change, version)
        shown = await _load_one(tx, call, request)
    if version is not None:
        await versions.publish_head(call.services, operations.repository_of(request), request.iid, shown.sha)
    return shown


@delete("/projects/:id/merge_requests/:merge_request_iid")
async def delete_merge_request(call: Call, id: Ref, merge_request_iid: int) -> None:
    async with call.transaction() as tx:
        request = await find_merge_request(tx, call.actor, id, merge_request_iid, to=DELETE_MERGE_REQUEST, hide=True)
        call.unless_modified(request.updated_at)
        await operations.remove(tx, call.actor, request)


async def _load_one(tx: Tx, call: Call, request: MergeRequestRow) -> SingleMergeRequest:
    can_merge = await may_merge(tx, call.actor, request)
    return await entities.load_one(tx, call.actor, request.id, can_merge=can_merge)
