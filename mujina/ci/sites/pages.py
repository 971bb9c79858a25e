"""The site of a project in its settings."""

from mujina.ci.sites import entities, operations
from mujina.ci.sites.params import EditSite
from mujina.kernel.html.pages import HtmlPage, PageRequest, Redirect, form, view
from mujina.kernel.http.paging import Page
from mujina.publishing.pages_domains.entities import load_page
from mujina.publishing.pages_domains.rules import ADMIN_PAGES
from mujina.workspaces.projects import operations as projects
from mujina.workspaces.projects.params import EditProject
from mujina.workspaces.projects.rules import OWN_PROJECT, ProjectRow

_HERE = "/{project}/pages"
ACCESS = [
    ("enabled", "Everyone who can see the project"),
    ("private", "Members of the project"),
    ("public", "Everyone"),
    ("disabled", "No one: the site is not served"),
]


@view(_HERE, to=ADMIN_PAGES, rights={"own": OWN_PROJECT}, anonymous=False)
async def show_site(request: PageRequest, project: ProjectRow, page: Page) -> HtmlPage:
    async with request.reading() as tx:
        site = await entities.load_site(tx, request.services.settings, project)
        deployments = await entities.load_deployments(tx, project.id)
        domains = await load_page(tx, request.services.vault, project.id, page)
    context = {"site": site, "deployments": deployments, "domains": domains, "access": ACCESS}
    return HtmlPage("ci/site.html", context)


@form(_HERE, to=ADMIN_PAGES)
async def save_access(request: PageRequest, project: ProjectRow) -> Redirect:
    change = request.read_form(EditSite, "site")
    async with request.transaction() as tx:
        await projects.edit(tx, request.actor, project, EditProject(pages_access_level=change.pages_access_level))
    return Redirect(f"{request.here}/pages", flash="Changes saved.")


@form(_HERE + "/delete", to=ADMIN_PAGES, again=_HERE)
async def unpublish_site(request: PageRequest, project: ProjectRow) -> Redirect:
    async with request.transaction() as tx:
        await operations.unpublish(tx, request.actor, project.id)
    return Redirect(f"{request.here}/pages", flash="The site was removed.")
