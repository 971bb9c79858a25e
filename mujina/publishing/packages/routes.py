"""Packages of projects and groups."""

from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import delete, get, post
from mujina.kernel.permissions.scopes import READ_PACKAGES as READ_SCOPES
from mujina.publishing.packages import entities, operations
from mujina.publishing.packages.entities import Package, PackageFile, to_package
from mujina.publishing.packages.params import ListPackages, YankPackage
from mujina.publishing.packages.rules import (
    DELETE_PACKAGES,
    PUBLISH_PACKAGES,
    READ_PACKAGES,
    find_package,
    find_package_file,
    packages_of_group,
    packages_of_project,
)
from mujina.workspaces.groups.rules import find_group
from mujina.workspaces.projects.rules import ProjectRow, find_project


@get("/projects/:id/packages", anonymous=True, scopes=READ_SCOPES)
async def list_packages(call: Call, id: Ref, query: ListPackages, page: Page) -> Paged[Package]:
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=READ_PACKAGES)
        return await entities.load_page(tx, packages_of_project(project.id), query, page, managed=project.managed)


@get("/groups/:id/packages", anonymous=True, scopes=READ_SCOPES)
async def list_group_packages(call: Call, id: Ref, query: ListPackages, page: Page) -> Paged[Package]:
    """List the packages of all projects below a group."""
    newest = query == ListPackages(sort=query.sort)
    async with call.listing(wide=not newest) as tx:
        group = await find_group(tx, call.actor, id)
        selection = await packages_of_group(tx, call.actor, group.id, newest=newest)
        return await entities.load_page(tx, selection, query, page, of_group=True)


# Compat: packages cannot be protected; clients that ask for the rules get none.
@get("/projects/:id/packages/protection/rules")
async def list_package_protection_rules(call: Call, id: Ref, page: Page) -> Paged[dict[str, str]]:
    async with call.reading() as tx:
        await find_project(tx, call.actor, id, to=DELETE_PACKAGES)
    return page.of([], 0)


@get("/projects/:id/packages/:package_id", anonymous=True, scopes=READ_SCOPES)
async def show_package(call: Call, id: Ref, package_id: int) -> Package:
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=READ_PACKAGES)
        return await _load(tx, project, package_id)


@post("/projects/:id/packages/:package_id/yank", status=200)
async def yank_package(call: Call, id: Ref, package_id: int, change: YankPackage) -> Package:
    """Tell programs not to choose this version any more; who asks for exactly this version still gets it."""
    async with call.transaction() as tx:
        project = await find_project(tx, call.actor, id, to=PUBLISH_PACKAGES)
        await operations.yank(tx, call.actor, await find_package(tx, project.id, package_id), change.reason)
        return await _load(tx, project, package_id)


@delete("/projects/:id/packages/:package_id/yank", status=200)
async def unyank_package(call: Call, id: Ref, package_id: int) -> Package:
    """Let programs choose this version again."""
    async with call.transaction() as tx:
        project = await find_project(tx, call.actor, id, to=PUBLISH_PACKAGES)
        await operations.yank(tx, call.actor, await find_package(tx, project.id, package_id), None)
        return await _load(tx, project, package_id)


@delete("/projects/:id/packages/:package_id")
async def delete_package(call: Call, id: Ref, package_id: int) -> None:
    async with call.transaction() as tx:
        project = await find_project(tx, call.actor, id, to=DELETE_PACKAGES)
        package = await find_package(tx, project.id, package_id)
        call.unless_modified(package.updated_at)
        await operations.remove_package(tx, call.actor, package)


@get("/projects/:id/packages/:package_id/package_files", anonymous=True, scopes=READ_SCOPES)
async def list_package_files(call: Call, id: Ref, package_id: int, page: Page) -> Paged[PackageFile]:
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=READ_PACKAGES)
        return await entities.load_files(tx, await find_package(tx, project.id, package_id), page)


@delete("/projects/:id/packages/:package_id/package_files/:file_id")
async def delete_package_file(call: Call, id: Ref, package_id: int, file_id: int) -> None:
    async with call.transaction() as tx:
        project = await find_project(tx, call.actor, id, to=DELETE_PACKAGES)
        package = await find_package(tx, project.id, package_id)
        file = await find_package_file(tx, package.id, file_id)
        call.unless_modified(file.updated_at)
        await operations.remove_file(tx, file)


async def _load(tx: Tx, project: ProjectRow, package_id: int) -> Package:
    package = await find_package(tx, project.id, package_id)
    tags = await entities.load_tags(tx, [package])
    return to_package(package, managed=project.managed, tags=tags[package.id])
