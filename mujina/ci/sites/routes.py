"""Sites of projects."""

from mujina.ci.sites import entities, operations
from mujina.ci.sites.entities import PublishedSite
from mujina.ci.sites.params import EditSite
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.params import UNSET, Ref
from mujina.kernel.http.routing import delete, get, patch
from mujina.publishing.pages_domains.rules import ADMIN_PAGES
from mujina.workspaces.projects import operations as projects
from mujina.workspaces.projects.params import EditProject
from mujina.workspaces.projects.rules import find_project


@get("/projects/:id/pages")
async def show_site(call: Call, id: Ref) -> PublishedSite:
    """Show where the site of a project is, and who sees it."""
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=ADMIN_PAGES)
        return await entities.load_site(tx, call.services.settings, project)


@patch("/projects/:id/pages")
async def edit_site(call: Call, id: Ref, change: EditSite) -> PublishedSite:
    """Change who sees the site."""
    async with call.transaction() as tx:
        project = await find_project(tx, call.actor, id, to=ADMIN_PAGES)
        if change.pages_access_level is not UNSET:
            await projects.edit(tx, call.actor, project, EditProject(pages_access_level=change.pages_access_level))
        return await entities.load_site(tx, call.services.settings, project)


@delete("/projects/:id/pages")
async def unpublish_site(call: Call, id: Ref) -> None:
    """Remove the site of a project."""
    async with call.transaction() as tx:
        project = await find_project(tx, call.actor, id, to=ADMIN_PAGES)
        await operations.unpublish(tx, call.actor, project.id)
