"""Uploads of Python packages: what they may be called, whether they arrived whole, and to which version they belong."""

import re
from typing import Final

import msgspec

from mujina.kernel import errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.permissions.actor import Actor
from mujina.planning.storage.staging import StagedFile
from mujina.publishing.packages.operations import NewPackageFile, publish_file
from mujina.publishing.packages.rules import PackageName, load_versions
from mujina.publishing.packages.uploads import MAX_NAME
from mujina.publishing.pypi_packages.params import UploadDistribution
from mujina.publishing.pypi_packages.rules import (
    DistributionMetadata,
    is_file_of,
    is_specifier,
    normalize,
    parse_version,
)

TAKEN: Final = "Validation failed: File name has already been taken"
"""Programs that skip what is there already look for the last words."""
_NAME: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")
_FILE: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9.!+_-]*\.(?:whl|tar\.gz|zip)")


def uploaded_distribution(change: UploadDistribution, filename: str, stored: StagedFile) -> NewPackageFile:
    """The file of an upload, as `new_distribution` checks it; 400 also if programs could not read which Python it needs."""
    if not is_specifier(change.requires_python or ""):  # uv skips such a file without a word
        raise errors.unacceptable("requires_python is invalid")
    return new_distribution(change, filename, stored)


def new_distribution(change: UploadDistribution, filename: str, stored: StagedFile) -> NewPackageFile:
    """The file of a package; 400 if its name, its version or a checksum is wrong."""
    name = normalize(change.name)
    for field, text, pattern in (("name", change.name, _NAME), ("content", filename, _FILE)):
        if not pattern.fullmatch(text) or len(text) > MAX_NAME:
            raise errors.unacceptable(f"{field} is invalid")
    version = parse_version(change.version) if len(change.version) <= MAX_NAME else None
    if version is None:
        raise errors.unacceptable("version is invalid")
    if not is_file_of(filename, name, version):
        raise errors.unacceptable(f"content has a file name that is not of {name} {version}")
    for field, sent, actual in (
        ("sha256_digest", change.sha256_digest, stored.sha256),
        ("md5_digest", change.md5_digest, stored.md5),
    ):
        if sent and sent.lower() != actual:
            raise errors.unacceptable(f"{field} does not match the file")
    metadata = msgspec.json.encode(DistributionMetadata(change.requires_python or None)).decode()
    package = PackageName("pypi", name, str(version))
    return NewPackageFile(package, filename, stored, metadata, taken=errors.bad_request(TAKEN))


async def publish_distribution(tx: Tx, actor: Actor, project_id: int, new: NewPackageFile) -> tuple[int, int]:
    """Add the file to its version, however that was spelled when it came first. The ids of the package and of the file."""
    # Two uploads of one version under two spellings follow each other.
    await tx.value("SELECT p.id FROM projects p WHERE p.id = :id FOR NO KEY UPDATE", id=project_id)
    version = parse_version(new.package.version)
    for known in await load_versions(tx, project_id, "pypi", new.package.name):
        if parse_version(known.version) == version:
            package = new.package._replace(version=known.version)
            return await publish_file(tx, actor, project_id, msgspec.structs.replace(new, package=package))
    return await publish_file(tx, actor, project_id, new)
