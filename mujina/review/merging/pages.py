"""Merging a merge request on its page, and what to do about conflicts."""

from typing import Literal

from mujina.code.branches.offers import propose_merge
from mujina.code.commits import operations as commits
from mujina.code.commits.operations import Repetition
from mujina.code.pushes.repository_lock import under_repository_lock
from mujina.kernel import errors
from mujina.kernel.html.pages import HtmlPage, PageRequest, Redirect, form, view
from mujina.kernel.http.params import UNSET, Params, Ref, RequiredText, Unset
from mujina.kernel.urls import web
from mujina.review.automatic_merges import operations as automatic_merges
from mujina.review.merge_requests.rules import MergeRequestRow, find_merge_commit, find_merge_request, may_merge
from mujina.review.merge_requests.views.page_view import find_for_page, read_for_page
from mujina.review.merging import operations
from mujina.review.merging.panel import read_branches
from mujina.review.merging.params import MergeMergeRequest
from mujina.review.rebasing.operations import request_rebase
from mujina.workspaces.projects.rules import ProjectRow

MOVED = "The source branch has new commits. Review them, then merge again."
NOT_NOW = "This can't be merged now. Below is what stands in the way."


@form("/{project}/merge_requests/{iid:int}/merge", again="/{project}/merge_requests/{iid:int}")
async def merge_merge_request(
    request: PageRequest, project: ProjectRow, iid: int, change: MergeMergeRequest
) -> Redirect:
    async with request.reading() as tx:
        row = await find_merge_request(tx, request.actor, Ref.of(project.id), iid, hide=True)
        if not await may_merge(tx, request.actor, row):
            raise errors.forbidden()
    await under_repository_lock(str(project.id), lambda: _merge(request, row, change))
    done = "Merge set to happen when the pipeline succeeds." if change.automatic else "Merged."
    return Redirect(f"{request.here}/merge_requests/{iid}", flash=done)


async def _merge(request: PageRequest, row: MergeRequestRow, change: MergeMergeRequest) -> None:
    """Merge as the API does; its errors in words for readers of the page."""
    try:
        await operations.merge(request.services, request.actor, row, change)
    except errors.Conflict:
        raise errors.conflict(MOVED) from None
    except errors.MethodNotAllowed:
        raise errors.unprocessable(NOT_NOW) from None


@form("/{project}/merge_requests/{iid:int}/cancel_merge", again="/{project}/merge_requests/{iid:int}")
async def cancel_merge(request: PageRequest, project: ProjectRow, iid: int) -> Redirect:
    async with request.transaction() as tx:
        row = await find_merge_request(tx, request.actor, Ref.of(project.id), iid, hide=True)
        can_merge = await may_merge(tx, request.actor, row)
        if not automatic_merges.may_cancel(request.actor, row, can_merge=can_merge):
            raise errors.forbidden()
        await automatic_merges.cancel(tx, request.actor, row)
    return Redirect(f"{request.here}/merge_requests/{iid}", flash="Automatic merge canceled.")


@form("/{project}/merge_requests/{iid:int}/rebase", again="/{project}/merge_requests/{iid:int}")
async def rebase_merge_request(request: PageRequest, project: ProjectRow, iid: int) -> Redirect:
    async with request.transaction() as tx:
        row = await find_merge_request(tx, request.actor, Ref.of(project.id), iid, hide=True)
        await request_rebase(tx, request.actor, row)
    return Redirect(f"{request.here}/merge_requests/{iid}", flash="The source branch is being rebased.")


class PickInto(Params):
    branch: RequiredText


@form("/{project}/merge_requests/{iid:int}/cherry_pick", again="/{project}/merge_requests/{iid:int}")
async def cherry_pick_merge(request: PageRequest, project: ProjectRow, iid: int, change: PickInto) -> Redirect:
    """Apply what the request merged to another branch."""
    made = await _repeat_merge(request, project, iid, "branch", change.branch, "cherry-pick")
    return Redirect(f"{request.here}/commit/{made}", flash=f"Picked into {change.branch}.")


class RevertOn(Params):
    revert_branch: RequiredText
    start_branch: str | Unset = UNSET
    """Where the branch starts if it does not exist; without it, the branch has to exist."""
    start_merge_request: bool | Unset | None = UNSET


@form("/{project}/merge_requests/{iid:int}/revert", again="/{project}/merge_requests/{iid:int}")
async def revert_merge(request: PageRequest, project: ProjectRow, iid: int, change: RevertOn) -> Redirect:
    """Undo what the request merged, on its target branch or on another one; the request stays merged."""
    branch, start = change.revert_branch, change.start_branch or ""
    made = await _repeat_merge(request, project, iid, "revert_branch", branch, "revert", start)
    if start and change.start_merge_request and branch != start:
        return propose_merge(request, branch, start)
    return Redirect(f"{request.here}/commit/{made}", flash=f"Reverted on {change.revert_branch}.")


async def _repeat_merge(
    request: PageRequest, project: ProjectRow, iid: int, field: str, branch: str,
    verb: Literal["cherry-pick", "revert"], start: str = "",
) -> str:  # fmt: skip
    """The id of the commit that repeats the merge, or undoes it, on top of the branch that someone typed in the field.

    With `start`, a branch that does not exist is created there.
    """
    async with request.reading() as tx:
        row = await find_merge_request(tx, request.actor, Ref.of(project.id), iid, hide=True)
        merged = await find_merge_commit(tx, row.id)
    if merged is None:
        raise errors.unprocessable("There is no merge commit.")

    async def made() -> str:
        committer = await commits.committer_for(request.services, request.actor, Ref.of(project.id))
        new = not commits.is_branch(committer.code, branch)
        if new and not start:
            raise errors.invalid({field: ["does not exist"]})
        repetition = Repetition(verb, merged)
        return (await commits.repeat(committer, repetition, branch, start_branch=start if new else "")).id

    return await under_repository_lock(str(project.id), made)


@view("/{project}/merge_requests/{iid:int}/conflicts")
async def show_conflicts(request: PageRequest, project: ProjectRow, iid: int) -> HtmlPage:
    """The files in conflict, and the commands that resolve them on the reader's machine."""
    found = await find_for_page(request.services, request.actor, project.id, iid)
    branches = await read_branches(request.services, found)
    async with request.reading() as tx:
        shown = await read_for_page(tx, request.actor, found)
    source = shown.source or (None if shown.forked else project)
    context = {"shown": shown, "branches": branches, "source_url": source and web(f"/{source.full_path}.git")}
    return HtmlPage("review/conflicts.html", {**context, "target_url": web(f"/{project.full_path}.git"), "tab": ""})
