"""Publishing and deleting packages. A row goes before its file: what a reader finds exists."""

from datetime import timedelta
from typing import Final

import msgspec

from mujina.kernel import clock, errors
from mujina.kernel.db.rows import delete_row, insert, insert_id, timestamps
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import record
from mujina.kernel.jobs.queue import enqueue
from mujina.kernel.permissions.actor import SYSTEM, Actor
from mujina.kernel.services import Services
from mujina.kernel.storage.errors import storage_problem
from mujina.planning.storage.files import StoredFiles
from mujina.planning.storage.staging import StagedFile
from mujina.publishing.packages.rules import PackageFileRow, PackageName, PackageRow

FOLDER: Final = "packages"
PACKAGE_FILES: Final = StoredFiles(
    "package_file",
    FOLDER,
    "SELECT f.id, f.file AS name FROM package_files f",
    "SELECT max(f.id) FROM package_files f",
)
BATCH: Final = 100
MAX_REASON: Final = 4_096
DOWNLOAD_RESOLUTION: Final = timedelta(hours=1)
"""How old the recorded time of the last download may be: a package that is installed all the time is not written each time."""


class NewPackageFile(msgspec.Struct, frozen=True):
    """A file of a package that is in storage and has no row yet."""

    package: PackageName
    file_name: str
    stored: StagedFile
    metadata: str | None = None
    taken: errors.ApiError | None = None
    """The response if the version has a file of this name; None: it may have several."""


async def publish_file(tx: Tx, actor: Actor, project_id: int, new: NewPackageFile) -> tuple[int, int]:
    """Add a file to this version of a package, which exists from now on. The ids of the package and of the file."""
    package_id = await _ensure_package(tx, actor, project_id, new.package)
    if new.taken is not None and await tx.value(
        "SELECT 1 FROM package_files f WHERE f.package_id = :id AND f.file_name = :file_name",
        id=package_id,
        file_name=new.file_name,
    ):
        raise new.taken
    stored = new.stored
    file_id: int = await insert_id(
        tx, "package_files", package_id=package_id, project_id=project_id, file_name=new.file_name, size=stored.size,
        md5=stored.md5, sha1=stored.sha1, sha256=stored.sha256, file=stored.file, metadata=new.metadata, **timestamps(),
    )  # fmt: skip
    await record(tx, "package_file.created", actor, subject_id=file_id, project_id=project_id)
    return package_id, file_id


async def set_status(tx: Tx, package_id: int, status: str) -> None:
    await tx.run("UPDATE packages SET status = :status WHERE id = :id", status=status, id=package_id)


async def yank(tx: Tx, actor: Actor, package: PackageRow, reason: str | None) -> None:
    """Tell programs not to choose this version any more, with the reason; None: they may choose it again.

    Who asks for exactly this version still gets it. Programs read the reason with each file: 400 if it is long.
    """
    if reason is not None and len(reason) > MAX_REASON:
        raise errors.unacceptable(f"reason is too long (maximum is {MAX_REASON} characters)")
    if package.yanked_reason == reason:
        return
    await tx.run(
        "UPDATE packages SET yanked_reason = :reason, updated_at = :now WHERE id = :id",
        reason=reason,
        now=clock.now(),
        id=package.id,
    )
    changes = {"yanked_reason": (package.yanked_reason, reason)}
    await record(tx, "package.updated", actor, subject_id=package.id, project_id=package.project_id, changes=changes)


async def _ensure_package(tx: Tx, actor: Actor, project_id: int, package: PackageName) -> int:
    """The id of this version of a package, which stays locked: two uploads of one file follow each other."""
    named = {"project_id": project_id, "package_type": package.type, "name": package.name, "version": package.version}
    added = await insert(
        tx, "packages", "ON CONFLICT (project_id, package_type, name, version) DO NOTHING",
        creator_id=actor.id or None, **named, **timestamps(),
    )  # fmt: skip
    package_id: int = await tx.value(
        """SELECT pk.id FROM packages pk WHERE pk.project_id = :project_id AND pk.package_type = :package_type
           AND pk.name = :name AND pk.version = :version FOR NO KEY UPDATE""",
        **named,
    )
    if added:
        changes = {"name": (None, package.name), "version": (None, package.version)}
        await record(tx, "package.created", actor, subject_id=package_id, project_id=project_id, changes=changes)
    return package_id


async def remove_package(tx: Tx, actor: Actor, package: PackageRow) -> None:
    """Delete the package; tasks remove its files. 404 if another request has deleted it."""
    # Locked, because a file that is published at this moment would go without its content.
    locked: int | None = await tx.value("SELECT pk.id FROM packages pk WHERE pk.id = :id FOR UPDATE", id=package.id)
    errors.or_not_found(locked, "Package")
    files: list[str] = await tx.values(
        "SELECT f.file FROM package_files f WHERE f.package_id = :id ORDER BY f.file", id=package.id
    )
    changes = {"name": (package.name, None), "version": (package.version, None)}
    await record(tx, "package.deleted", actor, subject_id=package.id, project_id=package.project_id, changes=changes)
    await tx.run("DELETE FROM packages WHERE id = :id", id=package.id)
    await _remove_files(tx, package.project_id, files)


async def remove_file(tx: Tx, file: PackageFileRow) -> None:
    """Delete one file of a package; a task removes its content."""
    await delete_row(tx, "package_files", "Package File", id=file.id)
    await _remove_files(tx, file.project_id, [file.file])


async def _remove_files(tx: Tx, project_id: int, files: list[str]) -> None:
    for file in files:
        await enqueue(tx, "packages.remove_file", file)
    await record(tx, "package_file.deleted", SYSTEM, subject_id=project_id, project_id=project_id)


async def record_download(services: Services, package_id: int) -> None:
    """The package was downloaded now; a secondary does not record it."""
    if services.secondary is not None:
        return
    try:
        async with services.database.transaction() as tx:
            await tx.run(
                """UPDATE packages SET last_downloaded_at = :now WHERE id = :id
                   AND (last_downloaded_at IS NULL OR last_downloaded_at < :before)""",
                id=package_id,
                now=clock.now(),
                before=clock.later(-DOWNLOAD_RESOLUTION),
            )
    except Exception as error:
        if storage_problem(error) is None:  # with full storage, downloads go on
            raise


async def remove_project_files(services: Services, project_id: int) -> None:
    """Remove the files of the packages of a project, then their rows: a row exists as long as its file does."""
    while True:
        async with services.database.reading() as tx:
            batch = await tx.rows(
                tuple[int, str],
                "SELECT f.id, f.file FROM package_files f WHERE f.project_id = :id ORDER BY f.id LIMIT :batch",
                id=project_id,
                batch=BATCH,
            )
        if not batch:
            return
        for _, file in batch:
            await services.files.remove(file)
        async with services.database.transaction() as tx:
            await tx.run("DELETE FROM package_files WHERE id IN :ids", ids=[id_ for id_, _ in batch])
