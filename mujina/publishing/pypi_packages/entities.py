"""The simple API of Python package indexes: which packages there are, and the files of one, as JSON or as HTML."""

from collections.abc import Iterable
from html import escape
from typing import Annotated, Final

import msgspec
from msgspec import UNSET, UnsetType

from mujina.kernel.db.rows import Row
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.dispatcher import Response
from mujina.kernel.storage.files import SANDBOX
from mujina.publishing.packages.entities import file_url
from mujina.publishing.packages.rules import PackageName
from mujina.publishing.pypi_packages.rules import DistributionMetadata, order_version

JSON: Final = "application/vnd.pypi.simple.v1+json"
HTML: Final = "application/vnd.pypi.simple.v1+html"
PLAIN_HTML: Final = "text/html"
_encode: Final = msgspec.json.Encoder().encode


class IndexMeta(msgspec.Struct, rename="kebab"):
    api_version: str = "1.1"


class IndexedName(msgspec.Struct):
    name: str


class PackageIndex(msgspec.Struct):
    """All packages."""

    meta: IndexMeta
    projects: list[IndexedName]


class IndexedFile(msgspec.Struct, rename="kebab"):
    filename: str
    url: str
    hashes: dict[str, str]
    size: int
    upload_time: str
    yanked: bool | str
    requires_python: str | UnsetType = UNSET


class IndexedPackage(msgspec.Struct):
    """The files of one package."""

    meta: IndexMeta
    name: str
    versions: list[str]
    files: list[IndexedFile]


class _FileRow(Row, alias="f"):
    project_id: int
    file_name: str
    size: int
    sha256: str
    metadata: str | None
    created_at: str
    version: Annotated[str, "pk.version"]
    yanked_reason: Annotated[str | None, "pk.yanked_reason"]


async def load_index(tx: Tx, packages: Selection) -> PackageIndex:
    """The names of the Python packages among these, in order."""
    selection = packages.where("pk.package_type = 'pypi'")
    names: list[str] = await tx.values(f"SELECT DISTINCT pk.name {selection.text} ORDER BY pk.name", **selection.bound)
    return PackageIndex(IndexMeta(), [IndexedName(name) for name in names])


async def load_package(tx: Tx, packages: Selection, name: str) -> IndexedPackage | None:
    """The files of the package with this normalized name, those of lower versions first; None if there is no such
    package.
    """
    selection = packages.where("pk.package_type = 'pypi' AND pk.name = :name", name=name)
    rows = await tx.rows(
        _FileRow,
        f"""SELECT {_FileRow.columns} FROM packages pk JOIN package_files f ON f.package_id = pk.id
            WHERE pk.id IN (SELECT pk.id {selection.text}) ORDER BY f.id""",
        **selection.bound,
    )
    if not rows:
        return None
    order = {row.version: order_version(row.version) for row in rows}
    rows = sorted(rows, key=lambda row: order[row.version])
    versions: dict[object, str] = {}
    for row in rows:
        versions.setdefault(order[row.version], row.version)  # two projects of a group may spell one differently
    return IndexedPackage(IndexMeta(), name, [*versions.values()], [_to_file(name, row) for row in rows])


def _to_file(name: str, row: _FileRow) -> IndexedFile:
    metadata = msgspec.json.decode(row.metadata or "{}", type=DistributionMetadata)
    # An empty reason is one all the same: JSON says `true` for it.
    yanked = False if row.yanked_reason is None else row.yanked_reason or True
    package = PackageName("pypi", name, row.version)
    return IndexedFile(
        filename=row.file_name, url=file_url(row.project_id, package, row.file_name, row.sha256),
        hashes={"sha256": row.sha256}, size=row.size, upload_time=row.created_at, yanked=yanked,
        requires_python=metadata.requires_python or UNSET,
    )  # fmt: skip


def index_response(accept: str | None, index: PackageIndex, here: str) -> Response:
    """The index in the form that the client prefers; `here` is the address of its pages."""
    links = (_link(f"{here}/{each.name}/", each.name) for each in index.projects)
    return _response(accept, index, "Simple index", links)


def package_response(accept: str | None, package: IndexedPackage) -> Response:
    """The files of a package in the form that the client prefers."""
    return _response(accept, package, f"Links for {package.name}", (_file_link(each) for each in package.files))


def _file_link(file: IndexedFile) -> str:
    attributes: dict[str, str] = {}
    if file.requires_python is not UNSET:
        attributes["data-requires-python"] = file.requires_python
    if file.yanked is not False:
        attributes["data-yanked"] = "" if file.yanked is True else file.yanked
    return _link(f"{file.url}#sha256={file.hashes['sha256']}", file.filename, attributes)


def _link(url: str, text: str, attributes: dict[str, str] | None = None) -> str:
    named = {"href": url, **(attributes or {})}
    written = " ".join(f'{name}="{escape(value)}"' for name, value in named.items())
    return f"<a {written}>{escape(text)}</a><br>\n"


def _response(accept: str | None, entity: msgspec.Struct, title: str, links: Iterable[str]) -> Response:
    """Negotiated as PEP 691 says; a client that names no type gets HTML."""
    wanted = _read_accept(accept or "")
    if wanted.get(JSON, 0.0) > max(wanted.get(HTML, 0.0), wanted.get(PLAIN_HTML, 0.0)):
        return Response(_encode(entity), headers=SANDBOX, content_type=JSON)
    page = (
        '<!DOCTYPE html>\n<html lang="en"><head><meta name="pypi:repository-version" content="1.1">'
        f"<title>{escape(title)}</title></head><body>\n<h1>{escape(title)}</h1>\n{''.join(links)}</body></html>\n"
    )
    kind = HTML if wanted.get(HTML, 0.0) > wanted.get(PLAIN_HTML, 0.0) else PLAIN_HTML
    return Response(page.encode(), headers=SANDBOX, content_type=f"{kind}; charset=utf-8")


def _read_accept(header: str) -> dict[str, float]:
    """The types that a client accepts, with their quality."""
    accepted: dict[str, float] = {}
    for part in header.lower().split(","):
        kind, *parameters = (each.strip() for each in part.split(";"))
        qualities = [each.removeprefix("q=") for each in parameters if each.startswith("q=")]
        try:
            quality = float(qualities[0]) if qualities else 1.0
        except ValueError:
            quality = 0.0
        accepted[kind.replace(".latest+", ".v1+")] = quality
    return accepted
