"""Archives that people ask for or upload. A job writes or reads each of them; it may be killed and begun again at any time."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Final, Literal

import msgspec

from mujina.kernel import clock, deferred_imports, errors
from mujina.kernel.db.rows import upsert
from mujina.kernel.db.transaction import Tx
from mujina.kernel.jobs.queue import enqueue
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.services import Services
from mujina.moving.archives.unpacking import NO_ROOM, UnusableArchive, free_bytes
from mujina.moving.move_in.places import adopt_settings
from mujina.moving.project_archives.params import ImportProject
from mujina.moving.reports.operations import ignore, reporting, store_report
from mujina.moving.sources.archive import Archive
from mujina.moving.sources.operations import SourceError
from mujina.workspaces.namespaces.rules import find_target_namespace
from mujina.workspaces.projects import operations as projects
from mujina.workspaces.projects.origins import imports
from mujina.workspaces.projects.params import CreateProject

# The jobs of archives import this module in every process that runs jobs, and few of them ever move something.
_MoveIn: Final = deferred_imports.function("mujina.moving.move_in.operations", "MoveIn")
_MoveRequest: Final = deferred_imports.function("mujina.moving.move_in.operations", "MoveRequest")
_source_of: Final = deferred_imports.function("mujina.moving.sources.opening", "source_of")
FOLDER: Final = "archives"
KEPT: Final = timedelta(days=1)
"""How long an archive can be downloaded."""
NOT_OVERWRITTEN: Final = "An import does not overwrite a project: choose another path"
ExportState = Literal["none", "queued", "started", "finished"]


class StoredArchive(msgspec.Struct, frozen=True):
    """The archive of a project."""

    status: ExportState = "none"
    file: str | None = None


async def find_archive(tx: Tx, project_id: int, kind: str) -> StoredArchive:
    """The archive of this kind, `export` or `import`; one with status `none` if there is none."""
    found = await tx.row(
        tuple[ExportState, str | None],
        "SELECT a.status, a.file FROM project_archives a WHERE a.project_id = :id AND a.kind = :kind",
        id=project_id,
        kind=kind,
    )
    return StoredArchive(*found) if found else StoredArchive()


async def request_export(tx: Tx, actor: Actor, project_id: int) -> None:
    """A job writes the archive soon; one that waits or runs serves this request as well."""
    await enqueue(tx, "projects.export", project_id, owner_id=actor.id)
    if (await find_archive(tx, project_id, "export")).status not in ("queued", "started"):
        await set_archive(tx, project_id, "export", "queued", None)


async def set_archive(tx: Tx, project_id: int, kind: str, status: ExportState, file: str | None) -> None:
    """The archive is in this state from now on; a job removes the file that it had."""
    before = (await find_archive(tx, project_id, kind)).file
    if before is not None and before != file:
        await enqueue(tx, "archives.remove_file", before)
    await upsert(
        tx, "project_archives", "project_id, kind", project_id=project_id, kind=kind, status=status, file=file,
        updated_at=clock.now(),
    )  # fmt: skip


async def remove_archive(tx: Tx, project_id: int, kind: str) -> None:
    """There is no archive any more; a job removes its file."""
    if file := (await find_archive(tx, project_id, kind)).file:
        await enqueue(tx, "archives.remove_file", file)
    await tx.run("DELETE FROM project_archives WHERE project_id = :id AND kind = :kind", id=project_id, kind=kind)


async def expire(tx: Tx) -> None:
    """Remove the archives that were finished a day ago."""
    old = await tx.rows(
        tuple[int, str],
        "SELECT a.project_id, a.kind FROM project_archives a WHERE a.updated_at < :before AND a.status = 'finished'",
        before=clock.later(-KEPT),
    )
    for project_id, kind in sorted(old):
        await remove_archive(tx, project_id, kind)


async def create_from_archive(tx: Tx, services: Services, actor: Actor, change: ImportProject, file: str) -> int:
    """Create a private project; a job fills it from the archive in this file."""
    if change.overwrite:
        raise errors.bad_request(NOT_OVERWRITTEN)
    target = await find_target_namespace(tx, actor, change.namespace or "")
    new = CreateProject(name=change.name or change.path, path=change.path, namespace_id=target.id, visibility="private")
    project_id = await projects.create(tx, services.vault, actor, new)
    await imports.mark_scheduled(tx, project_id)
    await set_archive(tx, project_id, "import", "queued", file)
    await enqueue(tx, "projects.import_archive", project_id, owner_id=actor.id)
    return project_id


async def fill(services: Services, archive: Archive, project_id: int) -> str | None:
    """Fill the project from the archive, which gives access to no one; the reason, if it cannot be read.

    Each person becomes an imported name: those of this import alone, whatever names and ids the archive has.
    """
    path = archive.manifest.project
    if path is None:
        return "It has no project, or several."
    try:
        project = await _source_of(archive, ignore).project(path)
    except SourceError as error:
        return error.reason
    async with services.database.transaction() as tx:
        await adopt_settings(tx, project_id, project)
        place: str = await tx.value("SELECT r.path FROM routes r WHERE r.project_id = :id", id=project_id)
    wanted = _MoveRequest(
        archive.address, "", project=path, into=place.rpartition("/")[0], archive=archive, project_id=project_id
    )
    move = _MoveIn(services, wanted, ignore)
    async with reporting(services.database, project_id, move.report):
        await move.move({})
    async with services.database.transaction() as tx:
        await store_report(tx, project_id, move.report)
    return None if move.report.complete else move.report.problems[-1].reason


async def save(pieces: AsyncIterator[bytes], file: Path) -> None:
    """Write the pieces to a file; `UnusableArchive` if they are more than half of the free disk."""
    room = free_bytes(file.parent)
    with file.open("xb") as output:
        async for piece in pieces:
            room -= len(piece)
            if room < 0:
                raise UnusableArchive(NO_ROOM)
            await asyncio.to_thread(output.write, piece)
