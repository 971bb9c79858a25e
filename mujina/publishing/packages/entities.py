"""Packages as responses show them."""

from typing import Final
from urllib.parse import quote

import msgspec
from msgspec import UNSET, UnsetType

from mujina.kernel.db.entities import to_entity
from mujina.kernel.db.sql.selection import Order, Selection, Sql, ascending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.lists.filters import Filters, apply_filters, compared
from mujina.kernel.lists.pages import load_joined, load_rows
from mujina.kernel.text.folding import like
from mujina.kernel.urls import api, quoted
from mujina.publishing.packages.params import ListPackages
from mujina.publishing.packages.rules import PackageFileRow, PackageRow

_FILTERS: Filters = {
    "package_type": compared("pk.package_type"),
    "package_version": compared("pk.version"),
    "status": compared("pk.status"),
    "package_name": lambda name, words: Sql(
        f"lower(pk.name) LIKE lower(:{name}) ESCAPE '\\'", **{name: f"%{like(words)}%"}
    ),
}
_ORDERS: Final[dict[str, Order]] = {
    "created_at": ascending("pk.created_at", "pk.id"),
    "name": ascending("pk.name", "pk.id"),
    "version": ascending("pk.version", "pk.id"),
    "type": ascending("pk.package_type", "pk.id"),
}


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


def to_package(row: PackageRow, *, managed: bool = False, of_group: bool = False) -> Package:
    """`managed`: whether the actor may delete it."""
    links = PackageLinks(quoted(f"/{row.full_path}/-/packages/{row.id}"))
    if managed:
        links.delete_api_path = api(f"/projects/{row.project_id}/packages/{row.id}")
    return to_entity(
        Package, row, links=links, tags=[], pipelines=[], project_id=row.project_id if of_group else UNSET,
        project_path=row.full_path if of_group else UNSET,
    )  # fmt: skip


def to_package_file(package: PackageRow, row: PackageFileRow) -> PackageFile:
    name = "/".join(quote(each, safe="") for each in (package.name, package.version))
    url = api(f"/projects/{package.project_id}/packages/{package.package_type}/{name}/{quote(row.file_name)}")
    return to_entity(
        PackageFile, row, file_md5=row.md5, file_sha1=row.sha1, file_sha256=row.sha256, file_store=1,
        status="default", file=PackageFileLocation(url),
    )  # fmt: skip


async def load_page(
    tx: Tx, selection: Selection, query: ListPackages, page: Page, *, managed: bool = False, of_group: bool = False
) -> Paged[Package]:
    """One page of packages."""
    selection = apply_filters(selection, query, _FILTERS)
    source = "packages pk JOIN routes r ON r.project_id = pk.project_id"
    order = _ORDERS[query.order_by].directed(query.sort)
    rows = await load_joined(tx, PackageRow, source, "pk.id", selection, order, page)
    return rows.map(lambda row: to_package(row, managed=managed, of_group=of_group))


async def load_files(tx: Tx, package: PackageRow, page: Page) -> Paged[PackageFile]:
    """One page of the files of a package, oldest first."""
    selection = Selection("package_files f", "f.package_id = :package_id", package_id=package.id)
    rows = await load_rows(tx, PackageFileRow, selection, ascending("f.id"), page)
    return rows.map(lambda row: to_package_file(package, row))
