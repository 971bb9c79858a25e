"""Packages of projects: their files are streamed from the source, and kept only if they are what it says."""

from base64 import b64encode
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from hashlib import sha256, sha512
from typing import Final, get_args

import msgspec

from mujina.instance.application_settings.rules import read_settings
from mujina.kernel import clock, errors
from mujina.kernel.db.rows import update
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import ApiError
from mujina.kernel.permissions.actor import SYSTEM
from mujina.moving.archives.unpacking import free_bytes
from mujina.moving.move_in import moved
from mujina.moving.move_in.runs import ProjectRun, collect
from mujina.moving.sources.operations import SourceError
from mujina.moving.sources.packages import Manifests, SourcePackage, SourcePackageFile
from mujina.planning.storage.staging import StagedFile, staged
from mujina.publishing.generic_packages.operations import check_names
from mujina.publishing.npm_packages.bodies import PackageDocument, ReceivedDocument
from mujina.publishing.npm_packages.operations import new_version, point
from mujina.publishing.npm_packages.rules import check_name, check_tag
from mujina.publishing.packages.operations import FOLDER, NewPackageFile, publish_file
from mujina.publishing.packages.rules import PackageName, PackageType
from mujina.publishing.packages.uploads import MEGABYTE, limited
from mujina.publishing.pypi_packages.operations import new_distribution, publish_distribution
from mujina.publishing.pypi_packages.params import UploadDistribution

KIND: Final = "package"
FILE_KIND: Final = "package_file"


async def move_packages(target: ProjectRun) -> None:
    """Every package of a type that is kept here, with the files that are not here yet; what does not come is listed."""
    async with target.run.services.database.reading() as tx:
        moving = _PackageMove(target, (await read_settings(tx)).max_package_size * MEGABYTE)
    async for page in target.run.source.packages(target.project.id):
        for package in page:
            try:
                await moving.move(package)
            except ApiError as error:
                target.problem(f"/-/packages/{package.id}", f"It does not fit: {' '.join(error.reasons)}")


class _PackageMove:
    """The packages of one project on their way. `max_bytes`: what a file may have."""

    def __init__(self, target: ProjectRun, max_bytes: int) -> None:
        self._target, self._max_bytes = target, max_bytes
        self._read: tuple[str, str, Manifests] = ("", "", {})
        """Type and name of the package whose versions were read last, and what was read."""

    async def move(self, package: SourcePackage) -> None:
        """Bring the files that did not come yet, then what the package says of itself."""
        target = self._target
        if package.package_type not in get_args(PackageType):
            target.problem(f"/-/packages/{package.id}", f"There are no {package.package_type} packages here.")
            return
        files = await collect(target.run.source.package_files(target.project.id, package.id))
        async with target.run.services.database.reading() as tx:
            known = await moved.find_all(tx, target.run.key, FILE_KIND, [file.id for file in files])
        newest = {file.file_name: file for file in files}
        for file in [file for file in files if str(file.id) not in known]:
            if package.package_type != "pypi" and newest[file.file_name] is not file:
                reason = "The source gives a newer file of this name."
            else:
                reason = await self._bring(package, file)
            if reason:
                target.problem(f"/-/packages/{package.id}", f"The file {file.file_name} did not come: {reason}")
        async with target.run.services.database.transaction() as tx:
            await _describe(tx, target, package)

    async def _bring(self, package: SourcePackage, file: SourcePackageFile) -> str:
        """Why the file did not come; empty if it is here."""
        run, digest = self._target.run, sha512()
        if file.size > min(self._max_bytes, free_bytes(run.services.settings.data)):
            return f"It has {file.size} bytes: more than max_package_size allows, or than half of the free disk."
        try:
            manifests = await self._manifests(package)
            async with (
                run.source.package_content(self._target.project.id, package, file) as pieces,
                staged(run.services.files, FOLDER, _digested(limited(pieces, file.size), digest.update)) as stored,
            ):
                _verify(file, stored)
                integrity = f"sha512-{b64encode(digest.digest()).decode()}"
                await self._publish(package, file, _new_file(package, file, manifests, stored, integrity))
        except SourceError as error:
            return error.reason
        except ApiError as error:
            return " ".join(error.reasons)
        return ""

    async def _manifests(self, package: SourcePackage) -> Manifests:
        """What the source tells of all versions of a PyPI or npm package, read once for those that follow each other."""
        if self._read[:2] != (package.package_type, package.name):
            found = await self._target.run.source.package_manifests(self._target.project.id, package)
            self._read = package.package_type, package.name, found
        return self._read[2]

    async def _publish(self, package: SourcePackage, file: SourcePackageFile, new: NewPackageFile) -> None:
        target, at = self._target, clock.iso(file.created_at)
        publish = publish_distribution if package.package_type == "pypi" else publish_file
        async with target.run.services.database.transaction() as tx:
            package_id, file_id = await publish(tx, SYSTEM, target.id, new)
            await update(tx, "package_files", {"created_at": at, "updated_at": at}, id=file_id)
            await target.remember(tx, FILE_KIND, file.id, file_id)
            if await target.find(tx, KIND, package.id) is None:
                await target.remember(tx, KIND, package.id, package_id)
                target.run.report.created["packages"] += 1
        target.run.report.created["package files"] += 1


async def _describe(tx: Tx, target: ProjectRun, package: SourcePackage) -> None:
    """The package has the dates, the status and the tags that it has at the source, if that changed since the last run."""
    fingerprint = sha256(msgspec.json.encode(package), usedforsecurity=False).hexdigest()
    known = await target.find(tx, KIND, package.id)
    if known is None or known.fingerprint == fingerprint:
        return
    at = clock.iso(package.created_at)
    columns = {
        "status": "hidden" if package.status == "hidden" else "default",
        "yanked_reason": package.yanked_reason,
        "created_at": at,
        "updated_at": at,
    }
    if not await update(tx, "packages", columns, id=known.id):
        return  # it was deleted here
    await tx.run("DELETE FROM package_tags WHERE package_id = :id", id=known.id)
    for tag in package.tag_names if package.package_type == "npm" else ():
        check_tag(tag)
        await point(tx, target.id, package.name, tag, known.id)
    target.run.report.updated["packages"] += bool(known.fingerprint)
    await target.remember(tx, KIND, package.id, known.id, fingerprint=fingerprint)


def _verify(file: SourcePackageFile, stored: StagedFile) -> None:
    """400 if what came is not what the source says."""
    checksums = (file.file_sha256, stored.sha256), (file.file_sha1, stored.sha1), (file.file_md5, stored.md5)
    if stored.size != file.size or any(given and given.lower() != actual for given, actual in checksums):
        raise errors.bad_request("What came is not what its size and checksums say.")


def _new_file(
    package: SourcePackage, file: SourcePackageFile, manifests: Manifests, stored: StagedFile, integrity: str
) -> NewPackageFile:
    """The file as an upload of its type would publish it; 400 if a name is not allowed, or a manifest is missing."""
    name, version = package.name, package.version
    if package.package_type == "npm":
        check_name(name)
        manifest = manifests.get(version)
        if manifest is None:
            raise errors.bad_request("The source does not tell its manifest.")
        return new_version(name, version, manifest, ReceivedDocument(PackageDocument(name), stored, integrity))
    if package.package_type == "pypi":
        pythons = manifests.get(file.file_name, {}).get("requires_python", "")
        return new_distribution(
            UploadDistribution(name=name, version=version, requires_python=pythons), file.file_name, stored
        )
    check_names(name, version, file.file_name)
    taken = errors.bad_request("There is a file of this name here.")
    return NewPackageFile(PackageName("generic", name, version), file.file_name, stored, taken=taken)


async def _digested(pieces: AsyncIterator[bytes], see: Callable[[bytes], object]) -> AsyncGenerator[bytes]:
    """The pieces, each of which `see` is given."""
    async for piece in pieces:
        see(piece)
        yield piece
