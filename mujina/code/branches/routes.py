"""Branches of a project's repository."""

from mujina.code.branches import operations
from mujina.code.branches.entities import Branch, shown_branch
from mujina.code.branches.params import CreateBranch, ListBranches, ProtectBranch
from mujina.code.commits import operations as commits
from mujina.code.protected_branches import operations as protection
from mujina.code.protected_branches.operations import MASTERS, Grant
from mujina.code.protected_branches.rules import protections
from mujina.code.pushes.changes import BRANCHES, ZERO, Change
from mujina.code.pushes.operations import move_refs
from mujina.code.pushes.ref_checks import check_names
from mujina.code.pushes.repository_lock import with_repository_lock
from mujina.kernel import errors
from mujina.kernel.access import DEVELOPER
from mujina.kernel.http import Call, Json, Response
from mujina.kernel.paging import Page
from mujina.kernel.params import Ref
from mujina.kernel.routing import Segment, delete, get, post, put
from mujina.workspaces.projects.rules import ADMIN_PROJECT, PUSH_CODE, READ_CODE, ProjectRow, find_project

DEVELOPERS = (Grant(level=DEVELOPER),)


@get("/projects/:id/repository/branches", anonymous=True)
async def list_branches(call: Call, id: Ref, query: ListBranches, page: Page) -> Json:
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=READ_CODE)
    code = await commits.code_of(call.services, project)
    names = operations.names(code, query.search or "")
    wanted = page.cut(names)
    return page.of(await _shown(call, project, await operations.show(code, list(wanted.items))), len(names))


@get("/projects/:id/repository/branches/:branch", anonymous=True)
async def show_branch(call: Call, id: Ref, branch: Segment) -> Json:
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=READ_CODE)
    found = await operations.find(await commits.code_of(call.services, project), branch)
    if call.request.method == "HEAD":
        # Compat: whoever only asks whether a branch is there gets no content, and is told so.
        return Response(status=204)
    return (await _shown(call, project, [found]))[0]


@post("/projects/:id/repository/branches")
@with_repository_lock
async def create_branch(call: Call, id: Ref, change: CreateBranch) -> Json:
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=PUSH_CODE)
        beginning = await operations.beginning_of(tx, project)
    code = await commits.code_of(call.services, project)
    if beginning is not None and change.ref == beginning:
        await _begin(call, project, code, beginning)
        if change.branch == beginning:
            return (await _shown(call, project, [await operations.find(code, beginning)]))[0]
    if change.branch in operations.names(code):
        raise errors.bad_request("Branch already exists")
    if not commits.exists(code, change.ref):
        raise errors.bad_request("Invalid reference name")
    made = Change(BRANCHES + change.branch, ZERO, commits.find(code, change.ref).id)
    if check_names([made]) or not commits.fits(code, made):
        raise errors.bad_request(commits.INVALID_BRANCH)
    await move_refs(call.services, call.actor, project.id, [made])
    return (await _shown(call, project, [await operations.find(code, change.branch)]))[0]


@put("/projects/:id/repository/branches/:branch/protect")
async def protect_branch_simply(call: Call, id: Ref, branch: Segment, change: ProtectBranch) -> Json:
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=ADMIN_PROJECT)
    found = await operations.find(await commits.code_of(call.services, project), branch)
    async with call.transaction() as tx:
        await protection.protect_anew(
            tx, call.actor, project.id, branch,
            push=DEVELOPERS if change.developers_can_push else MASTERS,
            merge=DEVELOPERS if change.developers_can_merge else MASTERS,
        )  # fmt: skip
    return (await _shown(call, project, [found]))[0]


@put("/projects/:id/repository/branches/:branch/unprotect")
async def unprotect_branch_simply(call: Call, id: Ref, branch: Segment) -> Json:
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=ADMIN_PROJECT)
    found = await operations.find(await commits.code_of(call.services, project), branch)
    async with call.transaction() as tx:
        await protection.unprotect_named(tx, call.actor, project.id, branch)
    return (await _shown(call, project, [found]))[0]


@delete("/projects/:id/repository/branches/:branch")
@with_repository_lock
async def delete_branch(call: Call, id: Ref, branch: Segment) -> Json:
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=PUSH_CODE)
    found = await operations.find(await commits.code_of(call.services, project), branch)
    call.unless_modified(commits.written_at(found.tip))
    await move_refs(call.services, call.actor, project.id, [Change(BRANCHES + branch, found.tip.id, ZERO)])


@delete("/projects/:id/repository/merged_branches", status=202)
@with_repository_lock
async def delete_merged_branches(call: Call, id: Ref) -> Json:
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=PUSH_CODE)
        kept = await protections(tx, call.actor, project.id, project.level)
    code = await commits.code_of(call.services, project)
    branches = await operations.show(code, operations.names(code))
    gone = [b for b in branches if b.merged and not any(protection.covers(b.name) for protection in kept)]
    if gone:
        changes = [Change(BRANCHES + branch.name, branch.tip.id, ZERO) for branch in gone]
        await move_refs(call.services, call.actor, project.id, changes)
    return Response({"message": "202 Accepted"})


async def _begin(call: Call, project: ProjectRow, code: commits.Code, branch: str) -> None:
    """An empty repository has a first commit, which branches can be made from."""
    async with call.reading() as tx:
        author, committer = await commits.signers(tx, call.actor)
    readme = commits.Action("create", "README.md", b"")
    commit_id = await commits.write(code, None, [readme], "Add README.md", author, committer)
    await move_refs(call.services, call.actor, project.id, [Change(BRANCHES + branch, ZERO, commit_id)])


async def _shown(call: Call, project: ProjectRow, branches: list[operations.BranchInfo]) -> list[Branch]:
    async with call.reading() as tx:
        kept = await protections(tx, call.actor, project.id, project.level)
    pushes = (call.actor.admin or project.level >= DEVELOPER) and not project.archived
    return [shown_branch(branch, project, kept, pushes=pushes) for branch in branches]
