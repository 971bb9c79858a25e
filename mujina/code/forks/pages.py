"""Pages about the forks of a project."""

from urllib.parse import quote

from mujina.kernel.html.pages import HtmlPage, PageRequest, Redirect, form, view
from mujina.kernel.http.paging import Page
from mujina.kernel.http.params import Ref
from mujina.workspaces.namespaces import entities as namespaces
from mujina.workspaces.projects import entities, filters
from mujina.workspaces.projects.origins import forks
from mujina.workspaces.projects.params import ForkProject, ListProjects
from mujina.workspaces.projects.rules import FORK_PROJECT, ProjectRow, find_project


@view("/{project}/forks", rights={"fork": FORK_PROJECT})
async def list_forks(request: PageRequest, project: ProjectRow, query: ListProjects, page: Page) -> HtmlPage:
    selection = filters.apply_filters(filters.forks_of(request.actor, query, project.id), request.actor, query)
    async with request.reading() as tx:
        paged = await entities.load_page(
            tx, request.services.vault, request.actor, selection, filters.order(query), page, simple=False
        )
    return HtmlPage("code/forks.html", {"root": request.here, "paged": paged})


@view("/{project}/forks/new", to=FORK_PROJECT)
async def new_fork(request: PageRequest, project: ProjectRow) -> HtmlPage:
    async with request.reading() as tx:
        homes = await namespaces.homes(tx, request.actor)
    options = [(home.id, home.full_path) for home in homes]
    context = {"root": request.here, "namespaces": options, "row": project}
    return HtmlPage("code/new_fork.html", context)


@form("/{project}/forks", to=FORK_PROJECT, again="/{project}/forks/new")
async def fork_project(request: PageRequest, project: ProjectRow, change: ForkProject) -> Redirect:
    async with request.transaction() as tx:
        source = await find_project(tx, request.actor, Ref.of(project.id), to=FORK_PROJECT)
        fork_id = await forks.fork(tx, request.services.vault, request.actor, source, change)
        fork = await entities.load_one(tx, request.services.vault, request.actor, fork_id)
    return Redirect(f"/{quote(fork.path_with_namespace)}", flash="The project is being copied.")
