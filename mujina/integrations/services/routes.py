"""Services of projects, which later versions call integrations."""

from mujina.integrations.services import entities, operations, testing
from mujina.integrations.services.entities import ConnectedService, ServiceDetail
from mujina.integrations.services.params import SaveService
from mujina.integrations.services.rules import ADMIN_SERVICES, check_slug, find_service, service_of
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import Segment, delete, get, put
from mujina.workspaces.projects.rules import find_project


# Compat: `integrations` is the name that later versions gave to services; both are served.
@get("/projects/:id/services", "/projects/:id/integrations")
async def list_services(call: Call, id: Ref, page: Page) -> Paged[ConnectedService]:
    """List the active services of a project."""
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=ADMIN_SERVICES)
        return await entities.load_active(tx, project.id, page)


@get("/projects/:id/services/:slug", "/projects/:id/integrations/:slug")
async def show_service(call: Call, id: Ref, slug: Segment) -> ServiceDetail:
    """Show a service, without its secrets."""
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=ADMIN_SERVICES)
        known = check_slug(slug)
        return entities.to_service(known, await service_of(tx, project.id, known))


@put("/projects/:id/services/:slug", "/projects/:id/integrations/:slug")
async def save_service(call: Call, id: Ref, slug: Segment, change: SaveService) -> ServiceDetail:
    """Set up a service, or change it."""
    async with call.transaction() as tx:
        project = await find_project(tx, call.actor, id, to=ADMIN_SERVICES)
        known = check_slug(slug)
        await operations.save(tx, call.services, call.actor, project.id, known, change)
        return entities.to_service(known, await service_of(tx, project.id, known))


@delete("/projects/:id/services/:slug", "/projects/:id/integrations/:slug")
async def delete_service(call: Call, id: Ref, slug: Segment) -> None:
    async with call.transaction() as tx:
        project = await find_project(tx, call.actor, id, to=ADMIN_SERVICES)
        row = await find_service(tx, project.id, check_slug(slug), lock=True)
        call.unless_modified(row.updated_at)
        await operations.remove(tx, call.actor, row)


@put("/projects/:id/services/:slug/test", "/projects/:id/integrations/:slug/test")
async def test_service(call: Call, id: Ref, slug: Segment) -> dict[str, str]:
    """Call the service with a sample of one of its events; 422 if it does not answer with success."""
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=ADMIN_SERVICES)
        row = await find_service(tx, project.id, check_slug(slug))
    await testing.call_now(call.services, call.actor, row)
    return {"message": "200 OK"}
