"""Publishing and removing sites. A site has its own copy of the archive: the artifacts of the job may expire."""

import secrets
from collections.abc import Mapping
from datetime import timedelta
from typing import Final, LiteralString

from mujina.ci.artifacts.archives import ArchiveEntry
from mujina.ci.artifacts.downloads import opener_of
from mujina.ci.artifacts.rules import ArtifactRow, find_archive
from mujina.ci.sites.contents import RefusedSite, read_site
from mujina.ci.sites.rules import PAGES_JOB
from mujina.kernel import clock, errors
from mujina.kernel.db.rows import insert_each, insert_id
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import record
from mujina.kernel.jobs.queue import enqueue
from mujina.kernel.permissions.actor import SYSTEM, Actor
from mujina.kernel.services import Services
from mujina.planning.storage.files import StoredFiles

FOLDER: Final = "sites"
SITE_FILES: Final = StoredFiles(
    "site",
    FOLDER,
    "SELECT d.id, d.file AS name FROM site_deployments d WHERE d.file IS NOT NULL",
    "SELECT max(d.id) FROM site_deployments d",
)
BATCH: Final = 2_000
"""Rows that one transaction writes."""
SERVED_AFTER: Final = timedelta(minutes=1)
"""A listener remembers for a moment which archive a site has; until then it reads that one."""
HAS_SITE: LiteralString = f"""EXISTS (SELECT 1 FROM pipeline_jobs j
    WHERE j.id = :subject_id AND j.name = '{PAGES_JOB}' AND j.status = 'success')"""


async def publish(services: Services, job_id: int) -> None:
    """Make the archive of this job the site of its project, unless a newer job has made one. A refusal is recorded."""
    async with services.database.transaction() as tx:
        project_id: int | None = await tx.value(
            f"SELECT j.project_id FROM pipeline_jobs j WHERE j.id = :id AND j.name = '{PAGES_JOB}' AND j.status = 'success'",
            id=job_id,
        )
        if project_id is None or await _is_superseded(tx, project_id, job_id):
            return
        await _remove(tx, "d.job_id = :job_id", job_id=job_id)  # what an interrupted run has left
    try:
        archive, files = await _read(services, job_id)
    except RefusedSite as refusal:
        await _refuse(services, project_id, job_id, str(refusal))
        return
    name = secrets.token_hex(16)
    file = f"{FOLDER}/{name[:2]}/{name[2:4]}/{name}"
    await services.files.copy(archive.file, file)
    deployment_id = await _write(services, project_id, archive, file, files)
    async with services.database.transaction() as tx:
        await _activate(tx, project_id, deployment_id, job_id)


async def _read(services: Services, job_id: int) -> tuple[ArtifactRow, dict[str, ArchiveEntry]]:
    try:
        async with services.database.reading() as tx:
            archive = await find_archive(tx, job_id)
    except errors.NotFound:
        raise RefusedSite("The job has no artifacts: its CI file must keep public/ (artifacts: paths).") from None
    return archive, await read_site(opener_of(services, archive.file), archive.size)


async def _is_superseded(tx: Tx, project_id: int, job_id: int) -> bool:
    """Whether this or a newer job has made the site."""
    return bool(
        await tx.value(
            "SELECT 1 FROM site_deployments d WHERE d.project_id = :id AND d.active AND d.job_id >= :job_id",
            id=project_id,
            job_id=job_id,
        )
    )


async def _write(
    services: Services, project_id: int, archive: ArtifactRow, file: str, files: Mapping[str, ArchiveEntry]
) -> int:
    """Write the rows of a deployment that is not the site yet, in transactions that are short for others. Its id."""
    async with services.database.transaction() as tx:
        sha256: str = await tx.value("SELECT a.sha256 FROM job_artifacts a WHERE a.id = :id", id=archive.id)
        deployment_id: int = await insert_id(
            tx, "site_deployments", project_id=project_id, job_id=archive.job_id, file=file, size=archive.size,
            sha256=sha256, file_count=len(files), created_at=clock.now(),
        )  # fmt: skip
    rows = [
        {
            "deployment_id": deployment_id, "path": path, "size": entry.size, "packed": entry.packed,
            "position": entry.offset, "method": entry.method, "crc": entry.crc,
        }
        for path, entry in files.items()
    ]  # fmt: skip
    for start in range(0, len(rows), BATCH):
        async with services.database.transaction() as tx:
            await insert_each(tx, "site_files", rows[start : start + BATCH])
    return deployment_id


async def _activate(tx: Tx, project_id: int, deployment_id: int, job_id: int) -> None:
    """Replace the site of the project, unless it has a newer one by now."""
    await tx.value("SELECT p.id FROM projects p WHERE p.id = :id FOR UPDATE", id=project_id)
    if await _is_superseded(tx, project_id, job_id):
        await _remove(tx, "d.id = :id", id=deployment_id)
        return
    await _remove(tx, "d.project_id = :project_id AND d.job_id < :job_id", project_id=project_id, job_id=job_id)
    await tx.run("UPDATE site_deployments SET active = TRUE WHERE id = :id", id=deployment_id)
    await record(tx, "site.published", SYSTEM, subject_id=deployment_id, project_id=project_id)


async def _refuse(services: Services, project_id: int, job_id: int, problem: str) -> None:
    """Record why the job publishes nothing; the site that the project has stays."""
    async with services.database.transaction() as tx:
        await tx.run(
            "DELETE FROM site_deployments WHERE project_id = :project_id AND problem IS NOT NULL", project_id=project_id
        )
        deployment_id: int = await insert_id(
            tx, "site_deployments", project_id=project_id, job_id=job_id, problem=problem, size=0, sha256="",
            file_count=0, created_at=clock.now(),
        )  # fmt: skip
        await record(tx, "site.refused", SYSTEM, subject_id=deployment_id, project_id=project_id)


async def unpublish(tx: Tx, actor: Actor, project_id: int) -> None:
    """Remove the site of the project; a task removes its archive."""
    if await _remove(tx, "d.project_id = :project_id", project_id=project_id):
        await record(tx, "site.unpublished", actor, subject_id=project_id, project_id=project_id)


async def _remove(tx: Tx, condition: LiteralString, **bound: int) -> int:
    """Delete the deployments that match; tasks remove their archives. How many."""
    rows = await tx.rows(
        tuple[int, int, str | None],
        f"SELECT d.id, d.project_id, d.file FROM site_deployments d WHERE {condition} ORDER BY d.id FOR UPDATE",
        **bound,
    )
    await tx.run("DELETE FROM site_deployments WHERE id IN :ids", ids=[id_ for id_, _, _ in rows])
    for _, project_id, file in rows:
        if file is not None:
            await enqueue(tx, "sites.remove_file", file, after=SERVED_AFTER)
            await record(tx, "site.removed", SYSTEM, subject_id=project_id, project_id=project_id)
    return len(rows)


async def remove_project_files(services: Services, project_id: int) -> None:
    """Remove the archives of the site of a project, then their rows: a row exists as long as its file does."""
    async with services.database.reading() as tx:
        rows = await tx.rows(
            tuple[int, str | None],
            "SELECT d.id, d.file FROM site_deployments d WHERE d.project_id = :id",
            id=project_id,
        )
    for _, file in rows:
        if file is not None:
            await services.files.remove(file)
    async with services.database.transaction() as tx:
        await tx.run("DELETE FROM site_deployments WHERE id IN :ids", ids=[id_ for id_, _ in rows])
