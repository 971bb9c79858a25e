"""Environments of projects."""

from mujina.ci.deployments.entities import FullEnvironment, load_full_environment
from mujina.ci.environments import entities, operations
from mujina.ci.environments.entities import Environment
from mujina.ci.environments.operations import stop_checked
from mujina.ci.environments.params import CreateEnvironment, EditEnvironment, ListEnvironments
from mujina.ci.environments.rules import (
    ADMIN_ENVIRONMENT,
    CREATE_ENVIRONMENT,
    READ_ENVIRONMENTS,
    STOP_ENVIRONMENT,
    find_environment,
)
from mujina.code.commits.operations import code_of
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import delete, get, post, put
from mujina.workspaces.projects.rules import find_project


@get("/projects/:id/environments")
async def list_environments(call: Call, id: Ref, query: ListEnvironments, page: Page) -> Paged[Environment]:
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=READ_ENVIRONMENTS)
        return await entities.load_page(tx, call.actor, project.id, query, page)


# Compat: one environment, with what was deployed last, is younger than the specification.
@get("/projects/:id/environments/:environment_id")
async def show_environment(call: Call, id: Ref, environment_id: int) -> FullEnvironment:
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=READ_ENVIRONMENTS)
    code = await code_of(call.services, project)
    async with call.reading() as tx:
        return await load_full_environment(tx, call.actor, code, project.id, environment_id)


@post("/projects/:id/environments")
async def create_environment(call: Call, id: Ref, change: CreateEnvironment) -> Environment:
    async with call.transaction() as tx:
        project = await find_project(tx, call.actor, id, to=CREATE_ENVIRONMENT)
        environment_id = await operations.create(tx, call.actor, project.id, change)
        return await entities.load_one(tx, call.actor, project.id, environment_id)


@put("/projects/:id/environments/:environment_id")
async def edit_environment(call: Call, id: Ref, environment_id: int, change: EditEnvironment) -> Environment:
    async with call.transaction() as tx:
        project = await find_project(tx, call.actor, id, to=ADMIN_ENVIRONMENT)
        environment = await find_environment(tx, project.id, environment_id)
        await operations.edit(tx, call.actor, environment, change)
        return await entities.load_one(tx, call.actor, project.id, environment_id)


@delete("/projects/:id/environments/:environment_id")
async def delete_environment(call: Call, id: Ref, environment_id: int) -> None:
    async with call.transaction() as tx:
        project = await find_project(tx, call.actor, id, to=ADMIN_ENVIRONMENT)
        environment = await find_environment(tx, project.id, environment_id)
        call.unless_modified(environment.updated_at)
        await operations.remove(tx, call.actor, environment)


@post("/projects/:id/environments/:environment_id/stop", status=200)
async def stop_environment(call: Call, id: Ref, environment_id: int) -> Environment:
    """Stop an environment, and play the job that does it, which the caller must be allowed to."""
    async with call.transaction() as tx:
        project = await find_project(tx, call.actor, id, to=STOP_ENVIRONMENT)
        await stop_checked(tx, call.actor, project.id, environment_id)
        return await entities.load_one(tx, call.actor, project.id, environment_id)
