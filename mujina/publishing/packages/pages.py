"""The pages of packages: the list of a project, and one package with its files."""

from typing import Final
from urllib.parse import quote

from mujina.kernel.html.pages import HtmlPage, PageRequest, Redirect, form, view
from mujina.kernel.http.paging import Page
from mujina.publishing.packages import entities, operations
from mujina.publishing.packages.entities import to_package
from mujina.publishing.packages.params import FilterPackages, ListPackages
from mujina.publishing.packages.rules import DELETE_PACKAGES, READ_PACKAGES, find_package, packages_of_project
from mujina.workspaces.projects.rules import ProjectRow

_ALL, _ONE = "/{project}/-/packages", "/{project}/-/packages/{package_id:int}"
_FILES: Final = Page(1, 100, {})


@view(_ALL, to=READ_PACKAGES)
async def show_packages(request: PageRequest, project: ProjectRow, query: FilterPackages, page: Page) -> HtmlPage:
    listed = ListPackages(sort="desc", package_name=query.search)
    async with request.reading() as tx:
        packages = await entities.load_page(tx, packages_of_project(project.id), listed, page)
    context = {"packages": packages, "here": _here(project), "search": query.search or ""}
    return HtmlPage("publishing/packages.html", context)


@view(_ONE, to=READ_PACKAGES, rights={"delete": DELETE_PACKAGES})
async def show_package(request: PageRequest, project: ProjectRow, package_id: int) -> HtmlPage:
    async with request.reading() as tx:
        package = await find_package(tx, project.id, package_id)
        files = await entities.load_files(tx, package, _FILES)
    return HtmlPage("publishing/package.html", {"package": to_package(package), "files": files, "here": _here(project)})


@form(f"{_ONE}/delete", to=DELETE_PACKAGES, again=_ONE)
async def delete_package(request: PageRequest, project: ProjectRow, package_id: int) -> Redirect:
    async with request.transaction() as tx:
        await operations.remove_package(tx, request.actor, await find_package(tx, project.id, package_id))
    return Redirect(_here(project), flash="Package deleted.")


def _here(project: ProjectRow) -> str:
    return quote(f"/{project.full_path}/-/packages")
