"""Writing and reading the archives of projects."""

import asyncio
from datetime import timedelta
from pathlib import Path
from typing import Final

from mujina.adapters.storage import FileStorage
from mujina.kernel import deferred_imports
from mujina.kernel.jobs.tasks import Run, task
from mujina.kernel.monitoring.logs import log
from mujina.moving.archives.scratch import new_scratch, remove_old_scratch
from mujina.moving.archives.unpacking import UnusableArchive
from mujina.moving.attempts import UNEXPECTED, exhausted
from mujina.moving.project_archives import operations
from mujina.moving.sources.archive import SINGLE_IMPORT_PREFIX, pieces_of
from mujina.planning.storage.staging import staged
from mujina.workspaces.projects.origins import forks
from mujina.workspaces.projects.removing.deleted_meanwhile import of_project

_export_project: Final = deferred_imports.function("mujina.moving.archives.operations", "export_project")
_open_archive: Final = deferred_imports.function("mujina.moving.sources.opening", "open_archive")
LIMIT: Final = timedelta(hours=6)
LONGEST_KEPT: Final = timedelta(days=3)
"""A file that is older belongs to nothing: a process that died left it."""


@task("projects.export", limit=LIMIT, long=True)
@of_project
async def write_archive(run: Run, project_id: int) -> None:
    """The project has an archive that can be downloaded, or can be asked for another; a run after a crash writes it anew."""
    async with run.database.transaction() as tx:
        if (await operations.find_archive(tx, project_id, "export")).status not in ("queued", "started"):
            return
        await operations.set_archive(tx, project_id, "export", "none" if exhausted(run) else "started", None)
        path: str = await tx.value("SELECT r.path FROM routes r WHERE r.project_id = :id", id=project_id)
    if exhausted(run):
        return
    with new_scratch(run.services.settings) as folder:
        draft = Path(folder) / "archive.tar.gz"
        with draft.open("wb") as output:
            await _export_project(run.services, path, output, _list_problem)
        async with staged(run.services.files, operations.FOLDER, pieces_of(draft)) as stored:
            async with run.database.transaction() as tx:
                await operations.set_archive(tx, project_id, "export", "finished", stored.file)


@task("projects.import_archive", limit=LIMIT, long=True)
@of_project
async def read_archive(run: Run, project_id: int) -> None:
    """The project has what the uploaded archive has, or an import error; a run after a crash continues."""
    async with run.database.transaction() as tx:
        found = await operations.find_archive(tx, project_id, "import")
        if found.file is None:
            return
        await forks.begin(tx, project_id)
    error = UNEXPECTED if exhausted(run) else await _read(run, project_id, found.file)
    async with run.database.transaction() as tx:
        await forks.end(tx, project_id, error)
        await operations.remove_archive(tx, project_id, "import")


async def _read(run: Run, project_id: int, stored: str) -> str | None:
    """Fill the project from the stored archive; why not, if it cannot be used."""
    with new_scratch(run.services.settings) as folder:
        file, unpacked = Path(folder) / "archive.tar.gz", Path(folder) / "unpacked"
        unpacked.mkdir()
        try:
            await operations.save(await run.services.files.pieces(stored), file)
            max_bytes = run.services.settings.max_archive_megabytes << 20
            archive = await asyncio.to_thread(
                _open_archive, file, unpacked, max_bytes, f"{SINGLE_IMPORT_PREFIX}{project_id}"
            )
            return await operations.fill(run.services, archive, project_id)
        except FileNotFoundError:
            return "The archive is gone."
        except UnusableArchive as unusable:
            return str(unusable)


@task("archives.expire", every=timedelta(hours=1))
async def expire_archives(run: Run, key: str) -> None:  # noqa: ARG001 - there is one storage
    """Remove expired archives, and files without an archive."""
    await asyncio.to_thread(remove_old_scratch, run.services.settings, LONGEST_KEPT)
    async with run.database.transaction() as tx:
        await operations.expire(tx)
    async for names in FileStorage(run.services.settings).old_files(operations.FOLDER, LONGEST_KEPT):
        for name in names:
            await run.services.files.remove(name)


@task("archives.remove_file")
async def remove_file(run: Run, key: str) -> None:
    """Remove a file that no row names any more."""
    await run.services.files.remove(key)


def _list_problem(address: str, reason: str) -> None:
    log.warning("export is not whole", address=address, reason=reason)
