"""Uploads of Python packages: what they may be called, and whether they arrived whole."""

import re
from typing import Final

import msgspec

from mujina.kernel import errors
from mujina.planning.storage.staging import StagedFile
from mujina.publishing.packages.operations import NewPackageFile
from mujina.publishing.packages.rules import PackageName
from mujina.publishing.packages.uploads import MAX_NAME
from mujina.publishing.pypi_packages.params import UploadDistribution
from mujina.publishing.pypi_packages.rules import DistributionMetadata, normalize

TAKEN: Final = "Validation failed: File name has already been taken"
"""Programs that skip what is there already look for the last words."""
_NAME: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")
_VERSION: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9.!+_-]*")
_FILE: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9.!+_-]*\.(?:whl|tar\.gz|zip)")


def new_distribution(change: UploadDistribution, filename: str, stored: StagedFile) -> NewPackageFile:
    """The file of a package; 400 if its name, its version or a checksum is wrong."""
    name = normalize(change.name)
    for field, text, pattern in (
        ("name", change.name, _NAME),
        ("version", change.version, _VERSION),
        ("content", filename, _FILE),
    ):
        if not pattern.fullmatch(text) or len(text) > MAX_NAME:
            raise errors.unacceptable(f"{field} is invalid")
    if not normalize(filename).startswith(f"{name}-"):
        raise errors.unacceptable("content has a file name of another package")
    for field, sent, actual in (
        ("sha256_digest", change.sha256_digest, stored.sha256),
        ("md5_digest", change.md5_digest, stored.md5),
    ):
        if sent and sent.lower() != actual:
            raise errors.unacceptable(f"{field} does not match the file")
    metadata = msgspec.json.encode(DistributionMetadata(change.requires_python or None)).decode()
    package = PackageName("pypi", name, change.version)
    return NewPackageFile(package, filename, stored, metadata, taken=errors.bad_request(TAKEN))
