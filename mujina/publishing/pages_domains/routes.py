"""Domains of sites."""

from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import Segment, delete, get, post, put
from mujina.publishing.pages_domains import entities, operations
from mujina.publishing.pages_domains.entities import ListedPagesDomain, PagesDomain
from mujina.publishing.pages_domains.params import CreatePagesDomain, EditPagesDomain
from mujina.publishing.pages_domains.rules import ADMIN_PAGES, find_domain
from mujina.workspaces.projects.rules import find_project


@get("/pages/domains", admin=True)
async def list_pages_domains(call: Call, page: Page) -> Paged[ListedPagesDomain]:
    """List the domains of all projects."""
    async with call.reading() as tx:
        return await entities.load_all(tx, page)


@get("/projects/:id/pages/domains")
async def list_project_pages_domains(call: Call, id: Ref, page: Page) -> Paged[PagesDomain]:
    """List the domains of a project."""
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=ADMIN_PAGES)
        return await entities.load_page(tx, call.services.vault, project.id, page)


@get("/projects/:id/pages/domains/:domain")
async def show_pages_domain(call: Call, id: Ref, domain: Segment) -> PagesDomain:
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=ADMIN_PAGES)
        return entities.to_domain(await find_domain(tx, project.id, domain), call.services.vault)


@post("/projects/:id/pages/domains")
async def create_pages_domain(call: Call, id: Ref, change: CreatePagesDomain) -> PagesDomain:
    async with call.transaction() as tx:
        project = await find_project(tx, call.actor, id, to=ADMIN_PAGES)
        domain = await operations.create(tx, call.services, call.actor, project.id, change)
        return entities.to_domain(await find_domain(tx, project.id, domain), call.services.vault)


@put("/projects/:id/pages/domains/:domain")
async def edit_pages_domain(call: Call, id: Ref, domain: Segment, change: EditPagesDomain) -> PagesDomain:
    """Change the certificate and its key."""
    async with call.transaction() as tx:
        project = await find_project(tx, call.actor, id, to=ADMIN_PAGES)
        row = await find_domain(tx, project.id, domain, lock=True)
        await operations.edit(tx, call.services, call.actor, row, change)
        return entities.to_domain(await find_domain(tx, project.id, domain), call.services.vault)


@put("/projects/:id/pages/domains/:domain/verify")
async def verify_pages_domain(call: Call, id: Ref, domain: Segment) -> PagesDomain:
    """Look soon for the record or the file that shows whose domain it is."""
    async with call.transaction() as tx:
        project = await find_project(tx, call.actor, id, to=ADMIN_PAGES)
        row = await find_domain(tx, project.id, domain)
        await operations.request_check(tx, row)
        return entities.to_domain(row, call.services.vault)


@delete("/projects/:id/pages/domains/:domain")
async def delete_pages_domain(call: Call, id: Ref, domain: Segment) -> None:
    async with call.transaction() as tx:
        project = await find_project(tx, call.actor, id, to=ADMIN_PAGES)
        row = await find_domain(tx, project.id, domain, lock=True)
        call.unless_modified(row.updated_at)
        await operations.remove(tx, call.actor, row)
