"""Deployments of projects."""

import msgspec

from mujina.ci.deployments import entities, operations
from mujina.ci.deployments.entities import Deployment
from mujina.ci.deployments.params import CreateDeployment, EditDeployment, ListDeployments
from mujina.ci.deployments.rules import find_deployment
from mujina.ci.environments.rules import CREATE_ENVIRONMENT, READ_ENVIRONMENTS
from mujina.code.commits import operations as commits
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import get, post, put
from mujina.workspaces.projects.rules import ProjectRow, find_project


@get("/projects/:id/deployments")
async def list_deployments(call: Call, id: Ref, query: ListDeployments, page: Page) -> Paged[Deployment]:
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=READ_ENVIRONMENTS)
    code = await commits.code_of(call.services, project)
    async with call.reading() as tx:
        return await entities.load_page(tx, code, project.id, query, page)


@get("/projects/:id/deployments/:deployment_id")
async def show_deployment(call: Call, id: Ref, deployment_id: int) -> Deployment:
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=READ_ENVIRONMENTS)
    return await _shown(call, project, deployment_id)


# Compat: deployments of other systems are younger than the specification.
@post("/projects/:id/deployments")
async def create_deployment(call: Call, id: Ref, change: CreateDeployment) -> Deployment:
    """Report a deployment that another system has made."""
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=CREATE_ENVIRONMENT)
    commit = commits.find(await commits.code_of(call.services, project), change.sha)
    async with call.transaction() as tx:
        change = msgspec.structs.replace(change, sha=commit.id)
        deployment_id = await operations.report(tx, call.actor, project.id, change)
    return await _shown(call, project, deployment_id)


@put("/projects/:id/deployments/:deployment_id")
async def edit_deployment(call: Call, id: Ref, deployment_id: int, change: EditDeployment) -> Deployment:
    """Report the outcome of a deployment that another system has made."""
    async with call.transaction() as tx:
        project = await find_project(tx, call.actor, id, to=CREATE_ENVIRONMENT)
        await operations.edit(tx, call.actor, await find_deployment(tx, project.id, deployment_id), change)
    return await _shown(call, project, deployment_id)


async def _shown(call: Call, project: ProjectRow, deployment_id: int) -> Deployment:
    code = await commits.code_of(call.services, project)
    async with call.reading() as tx:
        [deployment] = await entities.to_entities(tx, code, [await find_deployment(tx, project.id, deployment_id)])
        return deployment
