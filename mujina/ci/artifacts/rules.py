"""Who may read and remove artifacts, and the only ways to find one."""

from collections.abc import AsyncGenerator
from typing import Annotated, Final, LiteralString

import msgspec

from mujina.code.pipelines.rules import READ_JOBS, newest_of_ref
from mujina.kernel import clock, errors
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx, Value
from mujina.kernel.errors import NotFound
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.permissions.levels import DEVELOPER, MASTER
from mujina.kernel.permissions.rules import admin
from mujina.kernel.services import Services
from mujina.kernel.storage.opening import open_file
from mujina.workspaces.members.access import master
from mujina.workspaces.projects.rules import ProjectRow, archived

DELETE_ARTIFACTS = READ_JOBS & (master | admin) & ~archived

KEPT: LiteralString = """EXISTS (
    SELECT 1 FROM pipeline_jobs kept JOIN pipelines pl ON pl.id = kept.pipeline_id JOIN projects p ON p.id = pl.project_id
    WHERE kept.id = a.job_id AND p.keep_latest_artifact AND pl.status = 'success' AND a.file IS NOT NULL
    AND NOT EXISTS (
        SELECT 1 FROM pipelines newer WHERE newer.project_id = pl.project_id AND newer.ref = pl.ref
        AND newer.tag = pl.tag AND newer.status = 'success' AND newer.source <> 'external' AND newer.id > pl.id))"""
"""Artifacts of the newest successful pipeline of a ref stay, if the project says so."""
EXPIRED: LiteralString = f"(a.expire_at <= :now AND NOT {KEPT})"
ALIVE: LiteralString = f"(a.file IS NOT NULL AND (a.expire_at IS NULL OR a.expire_at > :now OR {KEPT}))"
"""An artifact that has expired is gone, also before a job removes its file."""
ARCHIVE: Final = "archive"
_BUILT: LiteralString = newest_of_ref("pl.status = 'success' AND pl.source <> 'external'")


_LEVELS: Final = {"all": 0, "developer": DEVELOPER, "maintainer": MASTER}
"""The level that each word of `artifacts:access` demands of those who read the job; no user has that of any other word."""


class _Access(msgspec.Struct):
    access: str = "all"


class _JobOptions(msgspec.Struct):
    """The part of the configuration of a job that is about who reads its artifacts."""

    artifacts: _Access | None = None


class ArtifactRow(Row, alias="a"):
    """A file of a job (`j`)."""

    id: int
    job_id: int
    filename: str
    size: int
    file: str
    options: Annotated[str, "j.options"]

    def is_open_to(self, actor: Actor, project: ProjectRow) -> bool:
        """Whether the CI file lets the actor, who reads the job, download it. Later jobs get it whatever the file says."""
        artifacts = msgspec.json.decode(self.options, type=_JobOptions).artifacts or _Access()
        level = _LEVELS.get(artifacts.access)
        return level is not None and (actor.admin or project.level >= level)


def no_artifacts() -> NotFound:
    return errors.not_found_with("404 Not Found")


async def find_archive(tx: Tx, job_id: int) -> ArtifactRow:
    """The archive of a job, for any caller; 404 if it has none any more."""
    return await _find(tx, "j.id = :job_id", job_id=job_id)


async def find_readable_archive(tx: Tx, actor: Actor, project: ProjectRow, job_id: int) -> ArtifactRow:
    """The archive of a job that the actor may download; 403 if the CI file keeps it from them, 404 if there is none."""
    return _readable(actor, project, await find_archive(tx, job_id))


async def may_download(tx: Tx, actor: Actor, project: ProjectRow, job_id: int) -> bool:
    """Whether the job has an archive that the actor may download."""
    archive = await _load(tx, "j.id = :job_id", job_id=job_id)
    return archive is not None and archive.is_open_to(actor, project)


def _readable(actor: Actor, project: ProjectRow, artifact: ArtifactRow) -> ArtifactRow:
    if not artifact.is_open_to(actor, project):
        raise errors.forbidden()
    return artifact


async def find_archive_of_ref(tx: Tx, actor: Actor, project: ProjectRow, ref: str, job_name: str) -> ArtifactRow:
    """The archive of the job of this name in the newest successful pipeline of the ref; 404 if it has none.

    The statuses that other systems report for a commit are no pipeline in which jobs of that name could be.
    """
    found = await _find(
        tx,
        f"j.name = :job_name AND NOT j.retried AND j.pipeline_id = {_BUILT}",
        project_id=project.id,
        ref=ref,
        job_name=job_name,
    )
    return _readable(actor, project, found)


async def open_artifact(services: Services, file: str, start: int, end: int) -> AsyncGenerator[bytes]:
    """The bytes of a stored file from `start` to before `end`."""
    return await open_file(services, file, no_artifacts(), start, end)


async def _find(tx: Tx, condition: LiteralString, **bound: Value) -> ArtifactRow:
    artifact = await _load(tx, condition, **bound)
    if artifact is None:
        raise no_artifacts()
    return artifact


async def _load(tx: Tx, condition: LiteralString, **bound: Value) -> ArtifactRow | None:
    return await tx.row(
        ArtifactRow,
        f"""SELECT {ArtifactRow.columns} FROM job_artifacts a JOIN pipeline_jobs j ON j.id = a.job_id
            WHERE {condition} AND a.file_type = :archive AND {ALIVE}""",
        archive=ARCHIVE,
        now=clock.now(),
        **bound,
    )
