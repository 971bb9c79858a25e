"""Branches of a project's repository."""

from mujina.code.branches import operations
from mujina.code.branches.entities import Branch, shown_branches
from mujina.code.branches.params import CreateBranch, ListBranches, SetDeveloperAccess
from mujina.code.commits import operations as commits
from mujina.code.protected_branches import operations as protection
from mujina.code.protected_branches.operations import DEVELOPERS, MASTERS
from mujina.code.protected_branches.rules import protections
from mujina.code.pushes.repository_lock import with_repository_lock
from mujina.kernel.http.dispatcher import Call, Response
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import Segment, delete, get, post, put
from mujina.workspaces.projects.rules import ADMIN_PROJECT, PUSH_CODE, ProjectRow, find_project


@get("/projects/:id/repository/branches", anonymous=True)
async def list_branches(call: Call, id: Ref, query: ListBranches, page: Page) -> Paged[Branch]:
    project, code = await commits.find_code(call.services, call.actor, id)
    names = page.cut(operations.names(code, query.search or "", query.regex or ""))
    return names.with_items(await _to_entities(call, project, await operations.show(code, list(names.items))))


@get("/projects/:id/repository/branches/:branch", anonymous=True)
async def show_branch(call: Call, id: Ref, branch: Segment) -> Branch | Response:
    project, code = await commits.find_code(call.services, call.actor, id)
    found = await operations.find(code, branch)
    if call.request.method == "HEAD":
        # Compat: a HEAD request gets 204, not 200.
        return Response(status=204)
    return (await _to_entities(call, project, [found]))[0]


@post("/projects/:id/repository/branches")
@with_repository_lock
async def create_branch(call: Call, id: Ref, change: CreateBranch) -> Branch:
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=PUSH_CODE)
        initial = await operations.initial_branch(tx, project)
    code = await operations.create(call.services, call.actor, project, change.branch, change.ref, initial)
    return (await _to_entities(call, project, [await operations.find(code, change.branch)]))[0]


@put("/projects/:id/repository/branches/:branch/protect")
async def protect_branch_simply(call: Call, id: Ref, branch: Segment, change: SetDeveloperAccess) -> Branch:
    """Protect a branch with the usual access levels."""
    project, code = await commits.find_code(call.services, call.actor, id, to=ADMIN_PROJECT)
    found = await operations.find(code, branch)
    push = DEVELOPERS if change.developers_can_push else MASTERS
    merge = DEVELOPERS if change.developers_can_merge else MASTERS
    async with call.transaction() as tx:
        await protection.set_protection(tx, call.actor, project.id, branch, push=push, merge=merge)
    return (await _to_entities(call, project, [found]))[0]


@put("/projects/:id/repository/branches/:branch/unprotect")
async def unprotect_branch_simply(call: Call, id: Ref, branch: Segment) -> Branch:
    """Remove the protection of a branch."""
    project, code = await commits.find_code(call.services, call.actor, id, to=ADMIN_PROJECT)
    found = await operations.find(code, branch)
    async with call.transaction() as tx:
        await protection.unprotect_named(tx, call.actor, project.id, branch)
    return (await _to_entities(call, project, [found]))[0]


@delete("/projects/:id/repository/branches/:branch")
@with_repository_lock
async def delete_branch(call: Call, id: Ref, branch: Segment) -> None:
    project, code = await commits.find_code(call.services, call.actor, id, to=PUSH_CODE)
    found = await operations.find(code, branch)
    call.unless_modified(commits.written_at(found.tip))
    await operations.remove(call.services, call.actor, project.id, [found])


@delete("/projects/:id/repository/merged_branches", status=202)
@with_repository_lock
async def delete_merged_branches(call: Call, id: Ref) -> dict[str, str]:
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=PUSH_CODE)
        protected = await protections(tx, call.actor, project.id, project.level)
    merged = await operations.merged(await commits.code_of(call.services, project), protected)
    await operations.remove(call.services, call.actor, project.id, merged)
    return {"message": "202 Accepted"}


async def _to_entities(call: Call, project: ProjectRow, branches: list[operations.BranchInfo]) -> list[Branch]:
    async with call.reading() as tx:
        return await shown_branches(tx, call.actor, project, branches)
