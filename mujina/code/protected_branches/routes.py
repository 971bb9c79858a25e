"""Protected branches."""

from mujina.code.protected_branches import entities, operations
from mujina.code.protected_branches.entities import ProtectedBranch
from mujina.code.protected_branches.grants import read_grant_changes, read_grants
from mujina.code.protected_branches.params import EditProtectedBranch, ProtectBranch
from mujina.code.protected_branches.rules import find_protected_branch, protected_in
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import UNSET, Ref
from mujina.kernel.http.routing import Segment, delete, get, patch, post
from mujina.workspaces.projects.rules import ADMIN_PROJECT, find_project


@get("/projects/:id/protected_branches")
async def list_protected_branches(call: Call, id: Ref, page: Page) -> Paged[ProtectedBranch]:
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=ADMIN_PROJECT)
        return await entities.load_page(tx, protected_in(project.id), page)


@get("/projects/:id/protected_branches/:name")
async def show_protected_branch(call: Call, id: Ref, name: Segment) -> ProtectedBranch:
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=ADMIN_PROJECT)
        return await entities.load_one(tx, (await find_protected_branch(tx, project.id, name)).id)


@post("/projects/:id/protected_branches")
async def protect_branch(call: Call, id: Ref, change: ProtectBranch) -> ProtectedBranch:
    async with call.transaction() as tx:
        project = await find_project(tx, call.actor, id, to=ADMIN_PROJECT)
        push = await read_grants(tx, project.id, "allowed_to_push", change.push_access_level, change.allowed_to_push)
        merge = await read_grants(
            tx, project.id, "allowed_to_merge", change.merge_access_level, change.allowed_to_merge
        )
        branch_id = await operations.protect(
            tx,
            call.actor,
            project.id,
            change.name,
            push=push,
            merge=merge,
            allow_force_push=change.allow_force_push,
            owners=change.code_owner_approval_required,
        )
        return await entities.load_one(tx, branch_id)


@patch("/projects/:id/protected_branches/:name")
async def edit_protected_branch(call: Call, id: Ref, name: Segment, change: EditProtectedBranch) -> ProtectedBranch:
    async with call.transaction() as tx:
        project = await find_project(tx, call.actor, id, to=ADMIN_PROJECT)
        branch = await find_protected_branch(tx, project.id, name)
        grants = [
            await read_grant_changes(tx, project.id, branch.id, "push", change.allowed_to_push),
            await read_grant_changes(tx, project.id, branch.id, "merge", change.allowed_to_merge),
        ]
        force = branch.allow_force_push if change.allow_force_push is UNSET else change.allow_force_push
        wanted = change.code_owner_approval_required
        owners = branch.code_owner_approval_required if wanted is UNSET else wanted
        await operations.edit(tx, call.actor, project.id, branch, allow_force_push=force, owners=owners, grants=grants)
        return await entities.load_one(tx, branch.id)


@delete("/projects/:id/protected_branches/:name")
async def unprotect_branch(call: Call, id: Ref, name: Segment) -> None:
    async with call.transaction() as tx:
        project = await find_project(tx, call.actor, id, to=ADMIN_PROJECT)
        protection = await find_protected_branch(tx, project.id, name)
        call.unless_modified(protection.updated_at)
        await operations.unprotect(tx, call.actor, project.id, protection.id, name)
