"""The scope of job tokens: which jobs get into a project with their tokens."""

from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import delete, get, patch, post
from mujina.workspaces.groups.rules import find_group
from mujina.workspaces.job_token_scopes import entities, operations
from mujina.workspaces.job_token_scopes.entities import AllowedGroup, AllowedProject, BasicGroup, JobTokenScope
from mujina.workspaces.job_token_scopes.params import AllowGroup, AllowProject, EditJobTokenScope
from mujina.workspaces.owners.rules import OwnerOrInstance
from mujina.workspaces.projects.rules import ADMIN_PROJECT, find_project
from mujina.workspaces.projects.views.basics import SimpleProject

_SCOPE = "/projects/:id/job_token_scope"


@get(_SCOPE)
async def show_job_token_scope(call: Call, id: Ref) -> JobTokenScope:
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=ADMIN_PROJECT)
        return await entities.load_scope(tx, project.id)


@patch(_SCOPE, status=204)
async def edit_job_token_scope(call: Call, id: Ref, change: EditJobTokenScope) -> None:
    async with call.transaction() as tx:
        project = await find_project(tx, call.actor, id, to=ADMIN_PROJECT)
        await operations.limit(tx, call.actor, project.id, enabled=change.enabled)


@get(f"{_SCOPE}/allowlist")
async def list_allowed_projects(call: Call, id: Ref, page: Page) -> Paged[SimpleProject]:
    """List the projects whose jobs get in; the project itself is one of them."""
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=ADMIN_PROJECT)
        return await entities.load_projects(tx, call.actor, project.id, page)


@post(f"{_SCOPE}/allowlist")
async def allow_project(call: Call, id: Ref, change: AllowProject) -> AllowedProject:
    """Let in the jobs of a project."""
    async with call.transaction() as tx:
        project = await find_project(tx, call.actor, id, to=ADMIN_PROJECT)
        target = await find_project(tx, call.actor, Ref.of(change.target_project_id))
        await operations.allow(tx, call.actor, project.id, OwnerOrInstance(project_id=target.id))
    return AllowedProject(project.id, target.id)


@delete(f"{_SCOPE}/allowlist/:target_project_id")
async def disallow_project(call: Call, id: Ref, target_project_id: int) -> None:
    async with call.transaction() as tx:
        project = await find_project(tx, call.actor, id, to=ADMIN_PROJECT)
        await operations.disallow(tx, call.actor, project.id, OwnerOrInstance(project_id=target_project_id))


@get(f"{_SCOPE}/groups_allowlist")
async def list_allowed_groups(call: Call, id: Ref, page: Page) -> Paged[BasicGroup]:
    """List the groups whose projects have jobs that get in."""
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=ADMIN_PROJECT)
        return await entities.load_groups(tx, call.actor, project.id, page)


@post(f"{_SCOPE}/groups_allowlist")
async def allow_group(call: Call, id: Ref, change: AllowGroup) -> AllowedGroup:
    """Let in the jobs of all projects below a group."""
    async with call.transaction() as tx:
        project = await find_project(tx, call.actor, id, to=ADMIN_PROJECT)
        target = await find_group(tx, call.actor, Ref.of(change.target_group_id))
        await operations.allow(tx, call.actor, project.id, OwnerOrInstance(group_id=target.id))
    return AllowedGroup(project.id, target.id)


@delete(f"{_SCOPE}/groups_allowlist/:target_group_id")
async def disallow_group(call: Call, id: Ref, target_group_id: int) -> None:
    async with call.transaction() as tx:
        project = await find_project(tx, call.actor, id, to=ADMIN_PROJECT)
        await operations.disallow(tx, call.actor, project.id, OwnerOrInstance(group_id=target_group_id))
