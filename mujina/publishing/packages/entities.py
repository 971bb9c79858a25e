"""Packages as responses show them."""

from collections import defaultdict
from collections.abc import Sequence
from urllib.parse import quote

import msgspec
from msgspec import UNSET, UnsetType

from mujina.kernel.db.entities import to_entity
from mujina.kernel.db.sql.selection import Selection, ascending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.lists.pages import load_joined, load_rows
from mujina.kernel.urls import api, quoted
from mujina.publishing.packages import filters
from mujina.publishing.packages.params import ListPackages
from mujina.publishing.packages.rules import PackageFileRow, PackageName, PackageRow, PackageType


class PackageLinks(msgspec.Struct):
    web_path: str
    delete_api_path: str | UnsetType = UNSET


class Package(msgspec.Struct, kw_only=True, rename={"links": "_links"}):
    """A package; in the list of a group it has the project."""

    id: int
    name: str
    version: str
    package_type: str
    status: str
    links: PackageLinks
    created_at: str
    last_downloaded_at: str | None
    yanked_reason: str | None
    """Why programs should not choose it any more."""
    project_id: int | UnsetType = UNSET
    project_path: str | UnsetType = UNSET
    tags: list[str] = []
    pipelines: list[str] = []


class Published(msgspec.Struct):
    """The response to an upload that did not ask for the file."""

    message: str = "201 Created"


class PackageFileLocation(msgspec.Struct):
    url: str


class PackageFile(msgspec.Struct):
    id: int
    package_id: int
    created_at: str
    updated_at: str
    size: int
    file_name: str
    file_md5: str
    file_sha1: str
    file_sha256: str
    file_store: int
    status: str
    file: PackageFileLocation


def to_package(row: PackageRow, *, managed: bool = False, of_group: bool = False, tags: Sequence[str]) -> Package:
    """`managed`: whether the actor may delete it."""
    links = PackageLinks(quoted(f"/{row.full_path}/-/packages/{row.id}"))
    if managed:
        links.delete_api_path = api(f"/projects/{row.project_id}/packages/{row.id}")
    return to_entity(
        Package, row, links=links, tags=[*tags], pipelines=[], project_id=row.project_id if of_group else UNSET,
        project_path=row.full_path if of_group else UNSET,
    )  # fmt: skip


def file_url(project_id: int, package: PackageName, file_name: str, sha256: str) -> str:
    """Where programs that install this type of package download the file."""
    paths: dict[PackageType, str] = {
        "generic": f"{quote(package.name, safe='')}/{quote(package.version, safe='')}",
        "npm": f"{quote(package.name, safe='@/')}/-",
        "pypi": f"files/{sha256}",
    }
    return api(f"/projects/{project_id}/packages/{package.type}/{paths[package.type]}/{quote(file_name)}")


def to_package_file(package: PackageRow, row: PackageFileRow) -> PackageFile:
    named = PackageName(package.package_type, package.name, package.version)
    return to_entity(
        PackageFile, row, file_md5=row.md5, file_sha1=row.sha1, file_sha256=row.sha256, file_store=1,
        status="default", file=PackageFileLocation(file_url(package.project_id, named, row.file_name, row.sha256)),
    )  # fmt: skip


async def load_page(
    tx: Tx, selection: Selection, query: ListPackages, page: Page, *, managed: bool = False, of_group: bool = False
) -> Paged[Package]:
    """One page of packages."""
    selection = await filters.apply_filters(tx, selection, query)
    source = "packages pk JOIN routes r ON r.project_id = pk.project_id"
    rows = await load_joined(tx, PackageRow, source, "pk.id", selection, filters.order(query), page)
    tags = await load_tags(tx, rows.items)
    return rows.map(lambda row: to_package(row, managed=managed, of_group=of_group, tags=tags[row.id]))


async def load_tags(tx: Tx, packages: Sequence[PackageRow]) -> dict[int, list[str]]:
    """The tags that point to each of these packages; only those of npm have any."""
    tags: dict[int, list[str]] = defaultdict(list)
    if ids := [package.id for package in packages if package.package_type == "npm"]:
        found = await tx.rows(
            tuple[int, str],
            "SELECT t.package_id, t.tag FROM package_tags t WHERE t.package_id IN :ids ORDER BY t.tag",
            ids=ids,
        )
        for package_id, tag in found:
            tags[package_id].append(tag)
    return tags


async def load_files(tx: Tx, package: PackageRow, page: Page) -> Paged[PackageFile]:
    """One page of the files of a package, oldest first."""
    selection = Selection("package_files f", "f.package_id = :package_id", package_id=package.id)
    rows = await load_rows(tx, PackageFileRow, selection, ascending("f.id"), page)
    return rows.map(lambda row: to_package_file(package, row))
