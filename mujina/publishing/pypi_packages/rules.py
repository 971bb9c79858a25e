"""How Python packages, their versions and files are named, and what is stored with the files."""

import re
from typing import TYPE_CHECKING

import msgspec

from mujina.kernel import deferred_imports

if TYPE_CHECKING:
    from packaging.version import Version


class DistributionMetadata(msgspec.Struct):
    """What programs read of a file before they download it."""

    requires_python: str | None = None


def normalize(name: str) -> str:
    """The one spelling under which a package is stored: `My.Package` and `my_package` are `my-package`."""
    return re.sub(r"[-_.]+", "-", name).lower()


def parse_version(text: str) -> "Version | None":
    """The version as PEP 440 compares it: `1.0`, `1.0.0` and `v1.0` are equal; None for what is no version."""
    versions = deferred_imports.python_versions()
    try:
        return versions.Version(text)
    except versions.InvalidVersion:
        return None


def is_specifier(text: str) -> bool:
    """Whether this selects versions, as `>=3.11` does."""
    specifiers = deferred_imports.python_specifiers()
    try:
        specifiers.SpecifierSet(text)
    except specifiers.InvalidSpecifier:
        return False
    return True


def order_version(text: str) -> "tuple[bool, Version | str]":
    """Orders versions as PEP 440 does, and is the same for equal ones; what was stored that is none comes first."""
    version = parse_version(text)
    return (False, text) if version is None else (True, version)


def is_file_of(file_name: str, name: str, version: "Version") -> bool:
    """Whether a file of this name belongs to this version of the package with this normalized name."""
    if file_name.endswith(".whl"):
        parts = file_name.removesuffix(".whl").split("-")
        # A name and a version, perhaps the number of a build, and what the file runs on.
        return len(parts) in (5, 6) and normalize(parts[0]) == name and parse_version(parts[1]) == version
    base = file_name.removesuffix(".zip").removesuffix(".tar.gz")
    # Older programs leave dashes in both: `otter-tool-1.0-rc1`.
    return any(
        normalize(base[: dash.start()]) == name and parse_version(base[dash.end() :]) == version
        for dash in re.finditer("-", base)
    )
