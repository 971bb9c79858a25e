"""What an npm package may be called, and where the versions of one are found."""

import re
from typing import Final

from mujina.kernel import errors
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.text.folding import fold, like
from mujina.publishing.packages.rules import READ_PACKAGES
from mujina.workspaces.job_token_scopes.rules import where_admitted

MAX_NAME: Final = 214
MAX_VERSION: Final = 255
LATEST: Final = "latest"
_NAME: Final = re.compile(r"(?:@[a-z0-9~-][a-z0-9._~-]*/)?[a-z0-9~-][a-z0-9._~-]*")
_NUMBER: Final = r"(0|[1-9][0-9]*)"
_MAX_NUMBER: Final = 2**53 - 1
"""What a number of a version may be for npm."""
_IDENTIFIER: Final = r"(?:0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)"
_BUILD: Final = r"[0-9A-Za-z-]+"
_VERSION: Final = re.compile(
    rf"{_NUMBER}\.{_NUMBER}\.{_NUMBER}(?:-{_IDENTIFIER}(?:\.{_IDENTIFIER})*)?(?:\+{_BUILD}(?:\.{_BUILD})*)?"
)
_TAG: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_PART: Final = r"(?:[0-9]+|[xX])"
_RANGE: Final = re.compile(rf"[vV]*{_PART}(?:\.{_PART}(?:\.{_PART}(?:[-+]?[0-9A-Za-z-].*)?)?)?")
"""A version or several: clients could not tell such a tag from it."""


def check_name(name: str) -> None:
    """400 for what is no name of a package."""
    if not _NAME.fullmatch(name) or len(name) > MAX_NAME:
        raise errors.unacceptable("package_name is invalid")


def check_version(version: str) -> None:
    """400 for what is no semantic version."""
    found = _VERSION.fullmatch(version) if len(version) <= MAX_VERSION else None
    if found is None or any(int(number) > _MAX_NUMBER for number in found.groups()):
        raise errors.unacceptable("version is not a semantic version such as 1.0.0 or 2.0.0-beta.1")


def check_tag(tag: str) -> None:
    """400 for what is no tag, or looks like a version."""
    if not _TAG.fullmatch(tag) or len(tag) > MAX_VERSION:
        raise errors.unacceptable("tag is invalid")
    if _RANGE.fullmatch(tag):
        raise errors.unacceptable(f"tag must not look like a version: {tag}")


def tarball_name(name: str, version: str) -> str:
    """The file of a version: the name without its scope, and the version."""
    return f"{name.rpartition('/')[2]}-{version}.tgz"


def version_of(name: str, file_name: str) -> str:
    """The version whose file has this name; what is none has no row."""
    return file_name.removeprefix(f"{name.rpartition('/')[2]}-").removesuffix(".tgz")


def versions_of(packages: Selection, name: str) -> Selection:
    """The versions of the package with this name among these; one whose file was deleted cannot be installed."""
    return packages.where(
        """pk.package_type = 'npm' AND pk.name = :name
           AND EXISTS (SELECT 1 FROM package_files f WHERE f.package_id = pk.id)""",
        name=name,
    )


def packages_of_scope(actor: Actor, name: str) -> Selection:
    """The packages of all projects below the group or user that the scope of the name is; 404 for a name without one."""
    scope, slash, _ = name.partition("/")
    if not slash:
        raise errors.not_found("Package")
    selection = Selection(
        "packages pk JOIN projects p ON p.id = pk.project_id JOIN routes r ON r.project_id = p.id",
        f"p.deleted_at IS NULL AND {READ_PACKAGES.for_scan} AND r.path_folded LIKE :below ESCAPE '\\'",
        below=f"{like(fold(scope.removeprefix('@')))}/%",
        **actor.bound,
    )
    return where_admitted(selection, actor)
