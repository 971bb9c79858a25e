"""Storing and removing the files of jobs. A row goes before its file: what a reader finds exists."""

from datetime import timedelta
from typing import Final, LiteralString

import msgspec

from mujina.ci.artifacts.rules import ALIVE, ARCHIVE, EXPIRED, no_artifacts
from mujina.ci.language.durations import read_duration
from mujina.code.repositories.operations import add_size
from mujina.instance.application_settings.rules import read_settings
from mujina.kernel import clock
from mujina.kernel.db.rows import Row, insert_id
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Event, record
from mujina.kernel.jobs.queue import enqueue
from mujina.kernel.permissions.actor import SYSTEM
from mujina.kernel.services import Services
from mujina.planning.storage.files import StoredFiles
from mujina.planning.storage.staging import StagedFile

FOLDER: Final = "artifacts"
ARTIFACT_FILES: Final = StoredFiles(
    "job_artifact",
    FOLDER,
    "SELECT a.id, a.file AS name FROM job_artifacts a WHERE a.file IS NOT NULL",
    "SELECT max(a.id) FROM job_artifacts a",
)
TRACE: Final = "trace"
"""The kind of file that a trace becomes: people read and remove it as a trace, not as an artifact."""
BATCH: Final = 100
NEVER: Final = "never"


class NewArtifact(msgspec.Struct, frozen=True):
    """What a job stores, beside the content."""

    file_type: str
    file_format: str
    filename: str
    expire_at: str | None = None


async def store(tx: Tx, project_id: int, job_id: int, artifact: NewArtifact, stored: StagedFile) -> None:
    """Give the job this file, in place of a former one of its kind."""
    await remove(tx, "a.job_id = :job_id AND a.file_type = :file_type", job_id=job_id, file_type=artifact.file_type)
    artifact_id: int = await insert_id(
        tx, "job_artifacts", project_id=project_id, job_id=job_id, file=stored.file, size=stored.size,
        sha256=stored.sha256, created_at=clock.now(), **msgspec.structs.asdict(artifact),
    )  # fmt: skip
    if artifact.file_type != TRACE:
        await add_size(tx, project_id, "job_artifacts_size", stored.size)
    await record(tx, "job_artifact.created", SYSTEM, subject_id=artifact_id, project_id=project_id)


async def expiry(tx: Tx, expire_in: str | None) -> str | None:
    """When an artifact expires of which the CI file says this; None: never. Nothing said: the default of the instance."""
    if (expire_in or "").strip().lower() == NEVER:
        return None
    seconds = None if expire_in is None else read_duration(expire_in)
    if seconds is None:
        seconds = read_duration((await read_settings(tx)).default_artifacts_expire_in)
    return clock.later(timedelta(seconds=seconds)) if seconds else None


async def keep(tx: Tx, job_id: int) -> None:
    """The artifacts of the job do not expire any more; 404 if its archive is gone. What has expired stays gone."""
    kept: list[str] = await tx.values(
        f"""UPDATE job_artifacts AS a SET expire_at = NULL WHERE a.job_id = :job_id AND a.file_type <> :trace AND {ALIVE}
            RETURNING file_type""",
        job_id=job_id,
        trace=TRACE,
        now=clock.now(),
    )
    if ARCHIVE not in kept:
        raise no_artifacts()


class StoredFile(Row, alias="a"):
    """A row that loses its file."""

    id: int
    project_id: int
    file_type: str
    size: int
    file: str | None


async def remove(tx: Tx, condition: LiteralString, **bound: str | int) -> int:
    """Delete a batch of the rows that match; tasks remove the files. How many."""
    rows = await _release(tx, condition, **bound)
    await tx.run("DELETE FROM job_artifacts WHERE id IN :ids", ids=[row.id for row in rows])
    return len(rows)


async def expire(tx: Tx) -> int:
    """Take the files from a batch of rows that have expired. The rows stay: jobs that need the artifacts know of them."""
    rows = await _release(tx, f"a.file IS NOT NULL AND {EXPIRED}", now=clock.now())
    await tx.run("UPDATE job_artifacts SET file = NULL WHERE id IN :ids", ids=[row.id for row in rows])
    return len(rows)


async def _release(tx: Tx, condition: LiteralString, **bound: str | int) -> list[StoredFile]:
    """A batch of the rows that match, locked. Tasks will remove their files, which no longer count."""
    rows = await tx.rows(
        StoredFile,
        f"""SELECT {StoredFile.columns} FROM job_artifacts a WHERE {condition} ORDER BY a.id LIMIT :batch
            FOR UPDATE""",
        batch=BATCH,
        **bound,
    )
    removed = [row for row in rows if row.file is not None]
    for file in sorted(row.file for row in removed if row.file is not None):
        await enqueue(tx, "artifacts.remove_file", file)
    for project_id in sorted({row.project_id for row in removed}):
        size = sum(row.size for row in removed if row.project_id == project_id and row.file_type != TRACE)
        await add_size(tx, project_id, "job_artifacts_size", -size)
        await record(tx, "job_artifact.deleted", SYSTEM, subject_id=project_id, project_id=project_id)
    return rows


async def remove_artifacts(tx: Tx, job_id: int) -> bool:
    """Delete the files of a job, but not its trace; whether there were any."""
    return await remove(tx, "a.job_id = :job_id AND a.file_type <> :trace", job_id=job_id, trace=TRACE) > 0


async def remove_pipeline_files(tx: Tx, event: Event) -> None:
    """Delete the files of the jobs of a pipeline that is about to be deleted."""
    removed = BATCH
    while removed == BATCH:
        removed = await remove(
            tx, "a.job_id IN (SELECT j.id FROM pipeline_jobs j WHERE j.pipeline_id = :id)", id=event.subject_id
        )


async def request_removal(tx: Tx, project_id: int) -> None:
    """A job removes the artifacts of all jobs of the project."""
    await enqueue(tx, "artifacts.remove_of_project", project_id)


async def remove_project_files(services: Services, project_id: int) -> None:
    """Remove the files of the jobs of a project, then their rows: a row exists as long as its file does."""
    while True:
        async with services.database.reading() as tx:
            batch = await tx.rows(
                tuple[int, str | None],
                "SELECT a.id, a.file FROM job_artifacts a WHERE a.project_id = :id ORDER BY a.id LIMIT :batch",
                id=project_id,
                batch=BATCH,
            )
        if not batch:
            return
        for _, file in batch:
            if file is not None:
                await services.files.remove(file)
        async with services.database.transaction() as tx:
            await tx.run("DELETE FROM job_artifacts WHERE id IN :ids", ids=[id_ for id_, _ in batch])
