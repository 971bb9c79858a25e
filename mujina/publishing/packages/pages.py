"""The pages of packages: the lists of a project and of a group, and one package with its files."""

from typing import Final

from mujina.kernel.html.pages import HtmlPage, Numbered, PageRequest, Redirect, form, view
from mujina.kernel.http.paging import FIRST_PAGE, Page
from mujina.kernel.http.params import Ref
from mujina.kernel.urls import api
from mujina.publishing.packages import entities, operations
from mujina.publishing.packages.entities import to_package
from mujina.publishing.packages.params import FilterPackages, ListPackages, YankPackage
from mujina.publishing.packages.rules import (
    DELETE_PACKAGES,
    PUBLISH_PACKAGES,
    READ_PACKAGES,
    find_package,
    find_package_file,
    find_packages,
)
from mujina.workspaces.groups.rules import READ_GROUP
from mujina.workspaces.projects.rules import ProjectRow

_ONE: Final = "/{project}/-/packages/{package_id:int}"
TYPES: Final = (("", "All types"), ("generic", "Generic"), ("npm", "npm"), ("pypi", "PyPI"))


@view("/{project}/-/packages", to=READ_PACKAGES)
@view("/groups/{group}/-/packages", to=READ_GROUP)
async def show_packages(request: PageRequest, query: FilterPackages, page: Page) -> HtmlPage:
    container = request.container
    assert container is not None
    listed = ListPackages(sort="desc", package_name=query.search, package_type=query.type)
    async with request.searching() as tx:
        packages = await find_packages(tx, request.actor, container.kind, Ref.of(container.row.id))
        found = await entities.load_page(tx, packages, listed, page, of_group=True)
    context = {
        "packages": found, "of_group": container.kind == "group", "filtered": query.filtered,
        "types": TYPES, "type": query.type or "",
        "here": f"{container.here}/packages" if container.kind == "group" else _here(request),
    }  # fmt: skip
    return HtmlPage("publishing/packages.html", context)


@view(_ONE, to=READ_PACKAGES, rights={"publish": PUBLISH_PACKAGES, "delete": DELETE_PACKAGES})
async def show_package(request: PageRequest, project: ProjectRow, package_id: int) -> HtmlPage:
    async with request.reading() as tx:
        package = await find_package(tx, project.id, package_id)
        files = await entities.load_files(tx, package, FIRST_PAGE)
        tags = await entities.load_tags(tx, [package])
    context = {
        "package": to_package(package, tags=tags[package.id]),
        "files": files,
        "here": _here(request),
        "api": api(f"/projects/{project.id}/packages"),
    }
    return HtmlPage("publishing/package.html", context)


@form(f"{_ONE}/delete", to=DELETE_PACKAGES, again=_ONE)
async def delete_package(request: PageRequest, project: ProjectRow, package_id: int) -> Redirect:
    async with request.transaction() as tx:
        await operations.remove_package(tx, request.actor, await find_package(tx, project.id, package_id))
    return Redirect(_here(request), flash="Package deleted.")


@form(f"{_ONE}/files/delete", to=DELETE_PACKAGES, again=_ONE)
async def delete_package_file(request: PageRequest, project: ProjectRow, package_id: int) -> Redirect:
    async with request.transaction() as tx:
        package = await find_package(tx, project.id, package_id)
        await operations.remove_file(tx, await find_package_file(tx, package.id, request.read_form(Numbered).id))
    return Redirect(f"{_here(request)}/{package_id}", flash="File deleted.")


@form(f"{_ONE}/yank", to=PUBLISH_PACKAGES, again=_ONE)
async def yank_package(request: PageRequest, project: ProjectRow, package_id: int, change: YankPackage) -> Redirect:
    async with request.transaction() as tx:
        await operations.yank(tx, request.actor, await find_package(tx, project.id, package_id), change.reason)
    return Redirect(f"{_here(request)}/{package_id}", flash="Package yanked.")


@form(f"{_ONE}/unyank", to=PUBLISH_PACKAGES, again=_ONE)
async def unyank_package(request: PageRequest, project: ProjectRow, package_id: int) -> Redirect:
    async with request.transaction() as tx:
        await operations.yank(tx, request.actor, await find_package(tx, project.id, package_id), None)
    return Redirect(f"{_here(request)}/{package_id}", flash="Package restored.")


def _here(request: PageRequest) -> str:
    """The list of the packages of the project."""
    return f"{request.here}/-/packages"
