"""Commits of a project's repository."""

from mujina.code.commit_statuses import entities as commit_statuses
from mujina.code.commits import operations
from mujina.code.commits.actions import read_actions
from mujina.code.commits.entities import Comparison, Contributor, shown_commit, whole_commit
from mujina.code.commits.operations import InvalidAction
from mujina.code.commits.params import CherryPick, Compare, CreateCommit, ListCommits, ListRefs, ShowCommit
from mujina.code.pushes.changes import BRANCHES, Change
from mujina.code.pushes.operations import move_refs
from mujina.code.pushes.repository_lock import with_repository_lock
from mujina.kernel import errors
from mujina.kernel.http import Call, Json
from mujina.kernel.paging import Page
from mujina.kernel.params import UNSET, Ref
from mujina.kernel.routing import Segment, get, post
from mujina.workspaces.projects.rules import PUSH_CODE, READ_CODE, ProjectRow, find_project


@get("/projects/:id/repository/commits", anonymous=True)
async def list_commits(call: Call, id: Ref, query: ListCommits, page: Page) -> Json:
    project = await _readable(call, id)
    code = await operations.code_of(call.services, project)
    if code.default_branch is None and not query.ref_name:
        return page.of([], 0)
    found = operations.find(code, query.ref_name or None)
    commits, total = await operations.history(
        found, query.path or "", query.since or "", query.until or "", **page.bound
    )
    shown = [shown_commit(commit) for commit in commits]
    if query.with_stats:
        for commit, stats in zip(shown, await operations.stats_of_each(code, commits), strict=True):
            commit.stats = stats
    return page.of(shown, total)


@post("/projects/:id/repository/commits")
@with_repository_lock
async def create_commit(call: Call, id: Ref, change: CreateCommit) -> Json:
    actions = read_actions(change.actions)
    project = await _writable(call, id)
    code = await operations.code_of(call.services, project)
    start = operations.start_of(code, change.branch, change.start_branch or "")
    async with call.reading() as tx:
        author, committer = await operations.signers(
            tx, call.actor, change.author_name or "", change.author_email or ""
        )
    try:
        commit_id = await operations.write(code, start.parent, actions, change.commit_message, author, committer)
    except InvalidAction as unfit:
        raise errors.bad_request(str(unfit)) from None
    await move_refs(call.services, call.actor, project.id, [start.to(commit_id)])
    found = operations.find(code, commit_id)
    return whole_commit(project.id, operations.show(found), await operations.stats_of(found))


@get("/projects/:id/repository/commits/:sha", anonymous=True)
async def show_commit(call: Call, id: Ref, sha: Segment, query: ShowCommit) -> Json:
    project = await _readable(call, id)
    found = operations.find(await operations.code_of(call.services, project), sha)
    told = UNSET if query.stats is False else await operations.stats_of(found)
    async with call.reading() as tx:
        status = await commit_statuses.overall(tx, project.id, found.id)
    return whole_commit(project.id, operations.show(found), told, status)


@get("/projects/:id/repository/commits/:sha/diff", anonymous=True)
async def list_commit_diff(call: Call, id: Ref, sha: Segment, page: Page) -> Json:
    project = await _readable(call, id)
    found = operations.find(await operations.code_of(call.services, project), sha)
    return page.of(*await operations.differences(found, part=slice(page.start, page.end)))


@get("/projects/:id/repository/commits/:sha/refs", anonymous=True)
async def list_commit_refs(call: Call, id: Ref, sha: Segment, query: ListRefs, page: Page) -> Json:
    project = await _readable(call, id)
    found = operations.find(await operations.code_of(call.services, project), sha)
    refs = [{"type": kind, "name": name} for kind, name in await operations.refs_with(found)]
    return page.cut([ref for ref in refs if query.type in ("all", ref["type"])])


@post("/projects/:id/repository/commits/:sha/cherry_pick")
@with_repository_lock
async def cherry_pick_commit(call: Call, id: Ref, sha: Segment, change: CherryPick) -> Json:
    project = await _writable(call, id)
    code = await operations.code_of(call.services, project)
    found, onto = operations.find(code, sha), operations.tip_of(code, change.branch)
    async with call.reading() as tx:
        _, committer = await operations.signers(tx, call.actor)
    try:
        commit_id = await operations.cherry_pick(found, onto, committer)
    except InvalidAction as unfit:
        raise errors.bad_request(str(unfit)) from None
    await move_refs(call.services, call.actor, project.id, [Change(BRANCHES + change.branch, onto.id, commit_id)])
    return shown_commit(operations.show(operations.find(code, commit_id)))


@get("/projects/:id/repository/compare", anonymous=True)
async def compare_commits(call: Call, id: Ref, query: Compare) -> Json:
    project = await _readable(call, id)
    code = await operations.code_of(call.services, project)
    before, after = operations.find(code, query.from_), operations.find(code, query.to)
    told = await operations.compare(before, after, straight=bool(query.straight))
    commits = [shown_commit(commit) for commit in told.commits]
    return Comparison(commits[-1] if commits else None, commits, told.changes, False, before.id == after.id)


@get("/projects/:id/repository/contributors", anonymous=True)
async def list_contributors(call: Call, id: Ref, page: Page) -> Json:
    project = await _readable(call, id)
    code = await operations.code_of(call.services, project)
    if code.default_branch is None:
        return page.of([], 0)
    people = await operations.contributors(operations.find(code, None))
    return page.cut([Contributor(name, email, commits) for name, email, commits in people])


async def _readable(call: Call, id: Ref) -> ProjectRow:
    async with call.reading() as tx:
        return await find_project(tx, call.actor, id, to=READ_CODE)


async def _writable(call: Call, id: Ref) -> ProjectRow:
    async with call.reading() as tx:
        return await find_project(tx, call.actor, id, to=PUSH_CODE)
