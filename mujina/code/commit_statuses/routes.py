"""Statuses of commits that other systems report."""

from mujina.code.commit_statuses import entities, filters, operations
from mujina.code.commit_statuses.entities import CommitStatus
from mujina.code.commit_statuses.params import ListStatuses, SetStatus
from mujina.code.commits.operations import (
    Repository,
    ResolvedCommit,
    find,
    find_code,
    is_branch,
    is_name,
    refs_with,
    tip_of,
)
from mujina.code.pipelines.rules import READ_COMMIT_STATUSES, PipelineRef, find_ref
from mujina.code.pushes.changes import BRANCHES, TAGS
from mujina.kernel import errors
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import Segment, get, post
from mujina.workspaces.projects.rules import REPORT_STATUS, ProjectRow, find_project

MAX_TIPS = 100
"""Branches that are looked at for one that ends at the commit."""


@get("/projects/:id/repository/commits/:sha/statuses", anonymous=True)
async def list_commit_statuses(
    call: Call, id: Ref, sha: Segment, query: ListStatuses, page: Page
) -> Paged[CommitStatus]:
    project, code = await find_code(call.services, call.actor, id, to=READ_COMMIT_STATUSES)
    found = find(code, sha)
    async with call.reading() as tx:
        return await entities.load_page(tx, filters.of_commit(project.id, found.id, query), page)


@post("/projects/:id/statuses/:sha")
async def set_commit_status(call: Call, id: Ref, sha: Segment, change: SetStatus) -> CommitStatus:
    """Set a status of a commit."""
    project, code = await find_code(call.services, call.actor, id, to=REPORT_STATUS)
    found = find(code, sha)
    on = await _ref(call, project, found, change)
    async with call.transaction() as tx:
        project = await find_project(tx, call.actor, Ref.of(project.id), to=REPORT_STATUS)
        status_id = await operations.report(tx, call.actor, project.id, found.id, on, change)
        return await entities.load_one(tx, status_id)


async def _ref(call: Call, project: ProjectRow, found: ResolvedCommit, change: SetStatus) -> PipelineRef:
    """The ref that the status is for: of the given pipeline, as given, or a branch that contains the commit.

    A name is that of a branch, unless only a tag has it. A branch that ends at the commit comes first: automatic merges
    wait for the pipeline of the branch that they merge. Of several the default branch comes first, then the first by name.
    """
    if change.pipeline_id:
        async with call.reading() as tx:
            return await find_ref(tx, project.id, found.id, change.pipeline_id, change.ref or None)
    if change.ref:
        return _read_ref(found.code, change.ref)
    branches = [name for kind, name in await refs_with(found) if kind == "branch"]
    branches.sort(key=lambda name: name != project.default_branch)  # the rest stays in order
    if not branches:
        raise errors.not_found("References for commit")
    ends = (name for name in branches[:MAX_TIPS] if tip_of(found.code, name).id == found.id)
    return PipelineRef(next(ends, branches[0]), tag=False)


def _read_ref(code: Repository, name: str) -> PipelineRef:
    """The branch or tag of this name, short or whole. A name that neither has is taken for that of a branch."""
    if name.startswith(TAGS):
        return PipelineRef(name.removeprefix(TAGS), tag=True)
    branch = name.removeprefix(BRANCHES)
    tag = branch == name and not is_branch(code, name) and is_name(code, name, as_id=False)
    return PipelineRef(branch, tag)
