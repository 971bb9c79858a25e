"""Packages of a project as the API v4 tells of them, and where their files are."""

import html
import re
from typing import Annotated, Any, Final
from urllib.parse import quote

import msgspec
from msgspec import Meta

from mujina.moving.sources.records import Bytes, Id, Instant

_LINK: Final = re.compile(r"<a\s([^<>]{1,4000})>([^<>]{1,300})</a>")
_PYTHONS: Final = re.compile(r'\bdata-requires-python="([^"<>]{0,1000})"')
Manifests = dict[str, dict[str, Any]]


class SourcePackageTag(msgspec.Struct, frozen=True):
    name: str


class SourcePackage(msgspec.Struct, frozen=True):
    """One version of a package. A GitLab tells more of a tag than its name."""

    id: Id
    name: str
    version: str
    package_type: str
    created_at: Instant
    status: str = "default"
    yanked_reason: str | None = None
    tags: list[str | SourcePackageTag] = []

    @property
    def tag_names(self) -> list[str]:
        return sorted({tag if isinstance(tag, str) else tag.name for tag in self.tags})


class SourcePackageFile(msgspec.Struct, frozen=True):
    """A file of a package, with the checksums that the source has."""

    id: Id
    file_name: Annotated[str, Meta(min_length=1, max_length=1_000)]
    size: Bytes
    created_at: Instant
    file_sha256: str | None = None
    file_sha1: str | None = None
    file_md5: str | None = None


class SourcePackument(msgspec.Struct, frozen=True):
    """An npm package with the manifests of its versions."""

    versions: Manifests = {}


def index_path(project_id: int, package: SourcePackage) -> str:
    """Where programs read of all versions of a PyPI or npm package."""
    folder = "pypi/simple" if package.package_type == "pypi" else "npm"
    return f"/api/v4/projects/{project_id}/packages/{folder}/{quote(package.name, safe='@/')}"


def content_path(project_id: int, package: SourcePackage, file: SourcePackageFile) -> str:
    """Where the file is downloaded."""
    folder = {
        "npm": f"{quote(package.name, safe='@/')}/-",
        "pypi": f"files/{file.file_sha256}",
    }.get(package.package_type, f"{quote(package.name, safe='')}/{quote(package.version, safe='')}")
    return f"/api/v4/projects/{project_id}/packages/{package.package_type}/{folder}/{quote(file.file_name, safe='@/')}"


def read_index(page: str) -> Manifests:
    """What the page of a PyPI package says of its files, by their names."""
    found: Manifests = {}
    for attributes, name in _LINK.findall(page):
        if pythons := _PYTHONS.search(attributes):
            found[html.unescape(name)] = {"requires_python": html.unescape(pythons[1])}
    return found
