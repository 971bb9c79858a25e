"""Packages as responses show them."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Final, LiteralString
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
from mujina.publishing.packages.rules import PackageFileRow, PackageName, PackageRow, PackageType

_NAMES: Filters = {
    "package_type": compared("pk.package_type"),
    "package_name": lambda name, words: Sql(
        f"lower(pk.name) LIKE :{name} ESCAPE '\\'", **{name: f"%{like(words.lower())}%"}
    ),
}
"""The filters by which packages are counted: the number of versions of each name is kept."""
_FILTERS: Filters = {"package_version": compared("pk.version"), "status": compared("pk.status")}
_FEW: Final[LiteralString] = "500"
"""Packages that are found by their names and then sorted."""
_ORDERS: Final[dict[str, Order]] = {
    "created_at": ascending("pk.created_at", "pk.id"),
    "name": ascending("pk.name", "pk.id"),
    "version": ascending("pk.version", "pk.id"),
    "type": ascending("pk.package_type", "pk.id"),
    "project_path": ascending("(SELECT r.path FROM routes r WHERE r.project_id = pk.project_id)", "pk.id"),
    "id": ascending("pk.id"),
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


def to_package(row: PackageRow, *, managed: bool = False, of_group: bool = False, tags: Sequence[str] = ()) -> Package:
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
    selection = apply_filters(await _select_named(tx, selection, query), query, _FILTERS)
    source = "packages pk JOIN routes r ON r.project_id = pk.project_id"
    order = _ORDERS[query.order_by].directed(query.sort)
    rows = await load_joined(tx, PackageRow, source, "pk.id", selection, order, page)
    tags = await load_tags(tx, rows.items)
    return rows.map(lambda row: to_package(row, managed=managed, of_group=of_group, tags=tags[row.id]))


async def _select_named(tx: Tx, packages: Selection, query: ListPackages) -> Selection:
    """The packages of the type and with the words in their names that the query asks for.

    Names are looked through once. The packages of a few are then found by name; many are met soon along the order.
    """
    found = apply_filters(packages, query, _NAMES)
    if found is packages:
        return packages
    named: LiteralString = f"FROM package_name_counts pk WHERE {found.condition}"
    text: LiteralString = f"SELECT pk.package_type, pk.name, pk.n {named} LIMIT {_FEW}"
    names = await tx.rows(tuple[str, str, int], text, **found.bound)
    if len(names) == int(_FEW):
        return found.counted(Sql(f"SELECT CAST(coalesce(sum(pk.n), 0) AS bigint) {named}"))
    total = sum(n for _, _, n in names)
    if total <= int(_FEW):
        types = [type_ for type_, _, _ in names]
        found = found.where(
            "pk.package_type IN :types AND pk.name IN :names", types=types, names=[name for _, name, _ in names]
        ).collected("pk")
    return found.counted(total)


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
