"""The changes of a merge request: its commits, its differences and its versions."""

from mujina.code.commits import operations as code
from mujina.code.commits.entities import Commit, shown_commit
from mujina.code.files.downloads import SAFE
from mujina.kernel.db.sql.selection import descending
from mujina.kernel.http.dispatcher import Call, Response
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import Segment, get
from mujina.kernel.lists.pages import load_documents
from mujina.review.merge_requests import entities as merge_requests
from mujina.review.merge_requests.filters import LISTED_REQUESTS, ReviewedProjects
from mujina.review.merge_requests.operations import repository_of
from mujina.review.merge_requests.params import ListCommitMergeRequests
from mujina.review.merge_requests.rules import MergeRequestRow, find_merge_request, may_merge
from mujina.review.merge_requests.views.merge_request import MergeRequest
from mujina.review.versions import entities, operations
from mujina.review.versions.entities import FullMergeRequestVersion, MergeRequestChanges, MergeRequestVersion
from mujina.review.versions.operations import FileChange
from mujina.review.versions.rules import VersionRow, find_newest_version, find_version, requests_with
from mujina.workspaces.projects.rules import READ_CODE, find_project


@get("/projects/:id/merge_requests/:merge_request_iid/commits", anonymous=True)
async def list_merge_request_commits(call: Call, id: Ref, merge_request_iid: int, page: Page) -> Paged[Commit]:
    request, version = await _newest(call, id, merge_request_iid)
    listed, total = await operations.commits(call.services, repository_of(request), version, page.start, page.size)
    return page.of([shown_commit(commit, request.full_path) for commit in listed], total)


@get("/projects/:id/merge_requests/:merge_request_iid/changes", anonymous=True)
async def show_merge_request_changes(call: Call, id: Ref, merge_request_iid: int) -> MergeRequestChanges:
    async with call.reading() as tx:
        request = await find_merge_request(tx, call.actor, id, merge_request_iid)
        version = await find_newest_version(tx, request.id)
        can_merge = await may_merge(tx, call.actor, request)
        shown = await merge_requests.load_one(tx, call.actor, request.id, can_merge=can_merge)
    diffs = await operations.diffs(call.services, repository_of(request), version)
    return entities.with_changes(shown, version, diffs)


@get("/projects/:id/merge_requests/:merge_request_iid/diffs", anonymous=True)
async def list_merge_request_diffs(call: Call, id: Ref, merge_request_iid: int, page: Page) -> Paged[FileChange]:
    request, version = await _newest(call, id, merge_request_iid)
    return page.cut(await operations.diffs(call.services, repository_of(request), version))


@get("/projects/:id/merge_requests/:merge_request_iid/raw_diffs", anonymous=True)
async def read_merge_request_diffs(call: Call, id: Ref, merge_request_iid: int) -> Response:
    request, version = await _newest(call, id, merge_request_iid)
    patch = await operations.raw_diffs(call.services, repository_of(request), version)
    return Response(patch, content_type="text/plain", headers=SAFE)


@get("/projects/:id/merge_requests/:merge_request_iid/versions")
async def list_merge_request_versions(
    call: Call, id: Ref, merge_request_iid: int, page: Page
) -> Paged[MergeRequestVersion]:
    async with call.reading() as tx:
        request = await find_merge_request(tx, call.actor, id, merge_request_iid)
        return await entities.load_page(tx, request.id, page)


@get("/projects/:id/merge_requests/:merge_request_iid/versions/:version_id")
async def show_merge_request_version(
    call: Call, id: Ref, merge_request_iid: int, version_id: int
) -> FullMergeRequestVersion:
    async with call.reading() as tx:
        request = await find_merge_request(tx, call.actor, id, merge_request_iid)
        version = await find_version(tx, request.id, version_id)
    repository = repository_of(request)
    commits, _ = await operations.commits(call.services, repository, version)
    diffs = await operations.diffs(call.services, repository, version)
    return entities.full(version, [shown_commit(commit, request.full_path) for commit in commits], diffs)


@get("/projects/:id/repository/commits/:sha/merge_requests", anonymous=True)
async def list_commit_merge_requests(
    call: Call, id: Ref, sha: Segment, query: ListCommitMergeRequests, page: Page
) -> Paged[MergeRequest]:
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=READ_CODE)
    found = code.find(await code.code_of(call.services, project), sha)
    repository = operations.RepositoryRef(project.id, project.repository_storage)
    iids, bases = await operations.find_with(call.services, repository, found.id)
    async with call.reading() as tx:
        selection = (await ReviewedProjects.in_project(tx, call.actor, project.id)).rows(call.actor)
        with_commit = await requests_with(tx, project.id, found.id, iids, bases)
        selection = selection.where("mr.id IN :with_commit", with_commit=with_commit)
        selection = LISTED_REQUESTS.select(selection, query.state)
        return await load_documents(LISTED_REQUESTS.documents, tx, selection, descending("mr.id"), page)


async def _newest(call: Call, id: Ref, iid: int) -> tuple[MergeRequestRow, VersionRow | None]:
    async with call.reading() as tx:
        request = await find_merge_request(tx, call.actor, id, iid)
        return request, await find_newest_version(tx, request.id)
