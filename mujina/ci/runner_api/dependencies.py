"""The jobs whose artifacts a job gets: those that it names, else all of earlier stages."""

import re
from collections.abc import Sequence
from typing import Annotated, LiteralString

import msgspec

from mujina.accounts.users.rules import find_active_actor
from mujina.ci.artifacts.entities import ArtifactFile, load_files
from mujina.ci.artifacts.rules import ALIVE, EXPIRED, find_archive_of_ref
from mujina.ci.language.config import JobConfig, Need
from mujina.ci.variables.dotenv import DotenvRow
from mujina.code.pipelines.rules import READ_JOBS
from mujina.kernel import clock, errors
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import ANONYMOUS
from mujina.workspaces.projects.rules import find_project


class MissingDependency(Exception):
    """A job that a job needs has its artifacts no longer, or the user of the job may not read them with its token."""


class Dependency(msgspec.Struct):
    """A job from which another job gets its files."""

    id: int
    name: str
    token: str
    """Encrypted."""
    archive: ArtifactFile | None = None
    report: DotenvRow | None = None
    """The variables that it leaves to later jobs."""


class _EarlierJob(Row, alias="j"):
    """A job that has run, with one of its files (`a`), if it has any."""

    id: int
    name: str
    token: str
    lost: Annotated[bool, f"(j.erased_at IS NOT NULL OR coalesce(a.file_type = 'archive' AND {EXPIRED}, FALSE))"]
    file_type: Annotated[str | None, f"CASE WHEN {ALIVE} THEN a.file_type END"]
    filename: Annotated[str | None, "a.filename"]
    report: DotenvRow | None


_EARLIER: LiteralString = f"""
    SELECT {_EarlierJob.columns} FROM pipeline_jobs j
    LEFT JOIN job_artifacts a ON a.job_id = j.id AND a.file_type IN ('archive', 'dotenv')
    WHERE j.pipeline_id = :pipeline_id AND NOT j.retried AND j.token IS NOT NULL
    AND (j.stage_index < :stage_index OR CAST(:needed AS boolean))
    AND (CAST(:named AS boolean) OR a.id IS NOT NULL OR j.erased_at IS NOT NULL)
    ORDER BY j.id"""


async def find_dependencies(tx: Tx, pipeline_id: int, stage_index: int, config: JobConfig) -> list[Dependency]:
    """The latest jobs that this one gets files from, oldest first: those that it names, else those that have any.

    `MissingDependency` if one of them has its artifacts no longer: it was erased, or they have expired.
    """
    names = named_dependencies(config)
    if (names is None and stage_index == 0) or names == []:
        return []
    rows = await tx.rows(
        _EarlierJob, _EARLIER, pipeline_id=pipeline_id, stage_index=stage_index, needed=config.needs is not None,
        named=names is not None, now=clock.now(),
    )  # fmt: skip
    found: dict[int, Dependency] = {}
    for row in rows:
        if names is not None and not any(_is_named(row.name, name) for name in names):
            continue
        if row.lost:
            raise MissingDependency(row.name)
        dependency = found.setdefault(row.id, Dependency(row.id, row.name, row.token))
        if row.report is not None and row.file_type == "archive":
            dependency.archive = ArtifactFile(row.filename or "", row.report.size)
        elif row.file_type == "dotenv":
            dependency.report = row.report
    return list(found.values())


async def artifacts_of(tx: Tx, job_ids: list[int]) -> dict[int, ArtifactFile]:
    """The archives of those of these jobs that have one, by their ids."""
    files = await load_files(tx, job_ids)
    return {id_: file.archive for id_, file in files.items() if file.archive is not None}


async def find_foreign_dependencies(
    tx: Tx, project_id: int, user_id: int | None, needs: Sequence[Need]
) -> dict[int, str]:
    """The ids and names of the jobs of other projects that a job of this project needs.

    They belong to the newest successful pipeline of the ref.
    `MissingDependency` if one of them has no artifacts, or the user of the job may not read them with its token.
    """
    found: dict[int, str] = {}
    user = await find_active_actor(tx, user_id or 0)
    # A job of an administrator gets no more than their memberships give.
    actor = ANONYMOUS if user is None else msgspec.structs.replace(user, admin=False, job_project_id=project_id)
    for need in needs:
        try:
            project = await find_project(tx, actor, Ref(need.project or ""), to=READ_JOBS)
            artifact = await find_archive_of_ref(tx, actor, project, need.ref or "", need.job)
        except errors.ApiError:
            raise MissingDependency(need.job) from None
        found[artifact.job_id] = need.job
    return found


def named_dependencies(config: JobConfig) -> Sequence[str] | None:
    """The names that the CI file gives; None: all jobs of earlier stages."""
    if config.dependencies is not None:
        return config.dependencies
    if config.needs is not None:
        return [need.job for need in config.needs if need.artifacts and need.project is None]
    return None


def _is_named(job: str, name: str) -> bool:
    """Whether the name is that of the job, or of the parallel job of which it is an instance."""
    return job == name or re.fullmatch(rf"{re.escape(name)}(?: \d+/\d+|: \[.*\])", job) is not None
