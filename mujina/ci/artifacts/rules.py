"""Who may read and remove artifacts, and the only ways to find one."""

from collections.abc import AsyncIterator
from typing import Final, LiteralString

from mujina.ci.pipelines.rules import READ_JOBS
from mujina.kernel import clock, errors
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx, Value
from mujina.kernel.errors import NotFound
from mujina.kernel.permissions.rules import admin
from mujina.kernel.services import Services
from mujina.kernel.storage.errors import missing_file
from mujina.workspaces.members.access import master
from mujina.workspaces.projects.rules import archived

DELETE_ARTIFACTS = READ_JOBS & (master | admin) & ~archived

ALIVE: LiteralString = "(a.expire_at IS NULL OR a.expire_at > :now)"
"""An artifact that has expired is gone, also before a job removes it."""
_ARCHIVE: Final = "archive"


class ArtifactRow(Row, alias="a"):
    """A file of a job."""

    id: int
    job_id: int
    filename: str
    size: int
    file: str
    expire_at: str | None


def no_artifacts() -> NotFound:
    return errors.absent("404 Not Found")


async def find_archive(tx: Tx, job_id: int) -> ArtifactRow:
    """The archive of a job that the caller may read; 404 if it has none any more."""
    return await _find(tx, "job_artifacts a WHERE a.job_id = :job_id", job_id=job_id)


async def find_archive_of_ref(tx: Tx, project_id: int, ref: str, job_name: str) -> ArtifactRow:
    """The archive of the job of this name in the newest successful pipeline of the ref; 404 if it has none."""
    return await _find(
        tx,
        """job_artifacts a JOIN pipeline_jobs j ON j.id = a.job_id
           WHERE j.name = :job_name AND NOT j.retried AND j.pipeline_id = (
               SELECT max(pl.id) FROM pipelines pl
               WHERE pl.project_id = :project_id AND pl.ref = :ref AND pl.status = 'success')""",
        project_id=project_id, ref=ref, job_name=job_name,
    )  # fmt: skip


async def open_file(services: Services, file: str, start: int, end: int) -> AsyncIterator[bytes]:
    """The bytes of a stored file from `start` to before `end`; a secondary that has no copy yet lets the primary answer."""
    try:
        return await services.files.pieces(file, start, end)
    except FileNotFoundError:
        if services.secondary is None:
            raise missing_file(file) from None
        await services.secondary.record_missing(file)
        raise no_artifacts() from None


async def _find(tx: Tx, found: LiteralString, **bound: Value) -> ArtifactRow:
    artifact = await tx.row(
        ArtifactRow,
        f"SELECT {ArtifactRow.columns} FROM {found} AND a.file_type = :archive AND {ALIVE}",
        archive=_ARCHIVE, now=clock.now(), **bound,
    )  # fmt: skip
    if artifact is None:
        raise no_artifacts()
    return artifact
