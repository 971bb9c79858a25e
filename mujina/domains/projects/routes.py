"""Projects."""

from mujina.domains.projects import entities, filters, operations
from mujina.domains.projects.params import CreateProject, ListProjects
from mujina.domains.projects.rules import OWN_PROJECT, find_project
from mujina.kernel.http import Call, Json
from mujina.kernel.paging import Page
from mujina.kernel.params import Ref
from mujina.kernel.routing import delete, get, post


@get("/projects", anonymous=True)
async def list_projects(call: Call, query: ListProjects, page: Page) -> Json:
    async with call.reading() as tx:
        chosen = filters.readable(call.actor)
        filters.narrow(chosen, query)
        order, simple = filters.order(query), bool(query.simple)
        projects = await entities.listed(tx, call.house.vault, call.actor, chosen, order, page, simple=simple)
        return page.of(projects, await chosen.total(tx))


@get("/projects/:id", anonymous=True)
async def show_project(call: Call, id: Ref) -> Json:
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id)
        return await entities.single(tx, call.house.vault, call.actor, project.id)


@post("/projects")
async def create_project(call: Call, change: CreateProject) -> Json:
    async with call.transaction() as tx:
        project_id = await operations.create(tx, call.house.vault, call.actor, change)
        return await entities.single(tx, call.house.vault, call.actor, project_id, permissions=False)


@delete("/projects/:id")
async def delete_project(call: Call, id: Ref) -> Json:
    async with call.transaction() as tx:
        project = await find_project(tx, call.actor, id, to=OWN_PROJECT)
        call.unless_modified(project.updated_at)
        await operations.remove(tx, call.actor, project)
