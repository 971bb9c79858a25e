"""Publishing npm packages, deprecating them, and moving their tags."""

from typing import Any, Final, cast

import msgspec

from mujina.kernel import errors
from mujina.kernel.db.rows import upsert
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import record
from mujina.kernel.permissions.actor import Actor
from mujina.planning.storage.staging import StagedFile
from mujina.publishing.npm_packages.bodies import PackageDocument, ReceivedDocument
from mujina.publishing.npm_packages.rules import LATEST, check_tag, check_version, tarball_name
from mujina.publishing.packages import operations as packages
from mujina.publishing.packages.operations import NewPackageFile
from mujina.publishing.packages.rules import PackageName, find_version, load_versions

MAX_MANIFEST: Final = 256 * 1024
MAX_TAGS: Final = 100
"""Tags that one publication sets; npm sends one."""
LEFT_OUT: Final = frozenset({"readme", "readmeFilename", "gitHead", "dist", "deprecated", "_id"})
"""Fields of a manifest that are not stored: too long, or known better here."""


async def publish(tx: Tx, actor: Actor, project_id: int, name: str, received: ReceivedDocument) -> None:
    """Publish the version of the document with its tags; 403 if there is such a version."""
    document = received.document
    if received.stored is None or len(document.versions) != 1:
        raise errors.unacceptable("_attachments does not have the file of one version")
    [(version, manifest)] = document.versions.items()
    new = new_version(name, version, manifest, received)
    if len(document.dist_tags) > MAX_TAGS:
        raise errors.unacceptable(f"dist-tags is too long (maximum is {MAX_TAGS} tags)")
    for tag, target in document.dist_tags.items():
        check_tag(tag)
        if target != version:
            raise errors.unacceptable("dist-tags is invalid")
    package_id, _ = await packages.publish_file(tx, actor, project_id, new)
    for tag in document.dist_tags or {LATEST: version}:
        await point(tx, project_id, name, tag, package_id)


def new_version(name: str, version: str, manifest: dict[str, Any], received: ReceivedDocument) -> NewPackageFile:
    """The file of a version; 400 if the version is none, or the checksums of the manifest are not those of the file."""
    check_version(version)
    assert received.stored is not None
    sentence = f"You cannot publish over the previously published versions: {version}."
    return NewPackageFile(
        PackageName("npm", name, version),
        tarball_name(name, version),
        received.stored,
        _metadata(manifest, received.stored, received.integrity),
        # npm shows `error`.
        taken=errors.Forbidden({"message": f"403 Forbidden - {sentence}", "error": sentence}),
    )


def _metadata(manifest: dict[str, Any], stored: StagedFile, integrity: str) -> str:
    """The manifest as it is stored."""
    sent = manifest.get("dist")
    dist = cast("dict[str, Any]", sent) if isinstance(sent, dict) else {}
    for field, actual in (("shasum", stored.sha1), ("integrity", integrity)):
        if dist.get(field, actual) != actual:
            raise errors.unacceptable(f"{field} does not match the file")
    kept = {key: value for key, value in manifest.items() if key not in LEFT_OUT}
    kept["dist"] = {"integrity": integrity, "shasum": stored.sha1}
    text = msgspec.json.encode(kept)
    if len(text) > MAX_MANIFEST:
        raise errors.unacceptable("versions has a manifest that is too long")
    return text.decode()


async def deprecate(tx: Tx, actor: Actor, project_id: int, name: str, document: PackageDocument) -> None:
    """Yank the versions that the document calls deprecated, with the reasons; one with an empty reason may be chosen."""
    rows = await load_versions(tx, project_id, "npm", name)
    if not rows:
        raise errors.not_found("Package")
    for row in rows:
        reason = document.versions.get(row.version, {}).get("deprecated")
        if isinstance(reason, str):
            await packages.yank(tx, actor, row, reason or None)


async def set_tag(tx: Tx, actor: Actor, project_id: int, name: str, tag: str, version: str) -> None:
    """Let the tag point to this version; 404 if there is no such version."""
    check_tag(tag)
    package = await find_version(tx, project_id, PackageName("npm", name, version))
    await point(tx, project_id, name, tag, package.id)
    changes = {"tag": (None, tag)}
    await record(tx, "package.updated", actor, subject_id=package.id, project_id=project_id, changes=changes)


async def remove_tag(tx: Tx, actor: Actor, project_id: int, name: str, tag: str) -> None:
    """Delete the tag; 404 if there is none, 400 for `latest`, which every package has."""
    if tag == LATEST:
        raise errors.bad_request(f"The tag {LATEST} cannot be removed")
    package_id: int | None = await tx.value(
        "DELETE FROM package_tags WHERE project_id = :id AND name = :name AND tag = :tag RETURNING package_id",
        id=project_id,
        name=name,
        tag=tag,
    )
    found, changes = errors.or_not_found(package_id, "Tag"), {"tag": (tag, None)}
    await record(tx, "package.updated", actor, subject_id=found, project_id=project_id, changes=changes)


async def point(tx: Tx, project_id: int, name: str, tag: str, package_id: int) -> None:
    """Let the tag of the package with this name point to this version."""
    columns: dict[str, Any] = {"project_id": project_id, "name": name, "tag": tag, "package_id": package_id}
    await upsert(tx, "package_tags", "project_id, name, tag", **columns)
