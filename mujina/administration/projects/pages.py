"""Projects, as administrators manage them."""

from msgspec import structs

from mujina.administration.groups.params import ConfirmedDeletion, ConfirmedTransfer
from mujina.kernel import errors
from mujina.kernel.html.pages import HtmlPage, PageRequest, Redirect, form, view
from mujina.kernel.http.paging import Page
from mujina.kernel.http.params import UNSET, Ref
from mujina.workspaces.owners.rules import check_typed
from mujina.workspaces.projects import entities, filters, operations
from mujina.workspaces.projects.params import ListProjects
from mujina.workspaces.projects.rules import OWN_PROJECT, find_project
from mujina.workspaces.projects.transfer import find_transfer, transfer

LIST = "/admin/projects"
PROJECT = "/admin/projects/{path:path}"


@view(LIST, admin=True)
async def list_projects(request: PageRequest, query: ListProjects, page: Page) -> HtmlPage:
    query = structs.replace(query, search=query.search or UNSET, simple=False)
    async with request.listing(wide=query.search) as tx:
        projects = await entities.load_page(
            tx, request.services.vault, request.actor, filters.found(tx, request.actor, query), filters.order(query),
            page, simple=False, statistics=True, permissions=False,
        )  # fmt: skip
    return HtmlPage("administration/projects.html", {"projects": projects, "query": query}, fragments=("projects",))


@view(PROJECT, admin=True)
async def show_administrated_project(request: PageRequest, path: str) -> HtmlPage:
    async with request.reading() as tx:
        row = await find_project(tx, request.actor, Ref(path))
        project = await entities.load_one(
            tx, request.services.vault, request.actor, row.id, managed=row.managed, permissions=False, statistics=True
        )
    return HtmlPage("administration/project.html", {"project": project})


@form(f"{PROJECT}/-/transfer", admin=True, again=PROJECT)
async def transfer_project(request: PageRequest, path: str, change: ConfirmedTransfer) -> Redirect:
    async with request.transaction() as tx:
        try:
            project, group = await find_transfer(tx, request.actor, Ref(path), Ref(change.group.strip().strip("/")))
        except errors.NotFound:
            await find_project(tx, request.actor, Ref(path))  # 404 if it is the project that is gone
            raise errors.invalid({"group": ["does not exist"]}) from None
        check_typed("confirm_transfer", change.confirm_transfer, project.full_path)
        await transfer(tx, request.actor, project, group)
    return Redirect(f"{LIST}/{group.full_path}/{project.path}", flash=f"Moved to {group.full_path}.")


@form(f"{PROJECT}/-/delete", admin=True, again=PROJECT)
async def delete_project(request: PageRequest, path: str, typed: ConfirmedDeletion) -> Redirect:
    async with request.transaction() as tx:
        project = await find_project(tx, request.actor, Ref(path), to=OWN_PROJECT, lock=True)
        check_typed("confirm_delete", typed.confirm_delete, project.full_path)
        await operations.remove(tx, request.actor, project)
    return Redirect(LIST, flash=f"{project.full_path} was deleted.")
