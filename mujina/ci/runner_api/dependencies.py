"""The jobs whose artifacts a job gets: those that it names, else all of earlier stages."""

import re
from collections.abc import Sequence
from typing import LiteralString

import msgspec

from mujina.ci.artifacts.entities import ArtifactFile, load_files
from mujina.ci.artifacts.rules import EXPIRED, find_archive_of_ref
from mujina.ci.language.config import JobConfig, Need
from mujina.ci.pipelines.rules import READ_JOBS
from mujina.kernel import clock, errors
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import ANONYMOUS
from mujina.review.merging.sources import find_active_user
from mujina.workspaces.projects.rules import find_project


class DependencyRow(Row, alias="j"):
    """A job whose artifacts another job may get."""

    id: int
    name: str
    token: str | None
    """Encrypted."""
    erased_at: str | None


_EARLIER: LiteralString = f"""
    SELECT {DependencyRow.columns} FROM pipeline_jobs j
    WHERE j.pipeline_id = :pipeline_id AND NOT j.retried AND j.token IS NOT NULL
    AND (j.stage_index < :stage_index OR CAST(:needed AS boolean))
    AND (NOT CAST(:lost AS boolean) OR j.erased_at IS NOT NULL OR EXISTS (
        SELECT 1 FROM job_artifacts a WHERE a.job_id = j.id AND a.file_type = 'archive' AND {EXPIRED}))
    ORDER BY j.id"""


async def find_dependencies(
    tx: Tx, pipeline_id: int, stage_index: int, config: JobConfig, *, lost: bool = False
) -> list[DependencyRow]:
    """The latest jobs that this one gets artifacts from, oldest first; with `lost`, those that have them no longer."""
    names = named_dependencies(config)
    if (names is None and stage_index == 0) or names == []:
        return []
    earlier = await tx.rows(
        DependencyRow, _EARLIER, pipeline_id=pipeline_id, stage_index=stage_index, needed=config.needs is not None,
        lost=lost, now=clock.now(),
    )  # fmt: skip
    return earlier if names is None else [job for job in earlier if any(_is_named(job.name, name) for name in names)]


async def lacks_artifacts(tx: Tx, job_id: int) -> bool:
    """Whether a job that this one gets artifacts from has them no longer: it was erased, or they have expired."""
    [(pipeline_id, stage_index, options)] = await tx.rows(
        tuple[int, int, str],
        "SELECT j.pipeline_id, j.stage_index, j.options FROM pipeline_jobs j WHERE j.id = :id",
        id=job_id,
    )
    config = msgspec.json.decode(options, type=JobConfig)
    return bool(await find_dependencies(tx, pipeline_id, stage_index, config, lost=True))


async def artifacts_of(tx: Tx, job_ids: list[int]) -> dict[int, ArtifactFile]:
    """The archives of those of these jobs that have one, by their ids."""
    files = await load_files(tx, job_ids)
    return {id_: file.archive for id_, file in files.items() if file.archive is not None}


class MissingDependency(Exception):
    """A job of another project that a job needs has no artifacts, or the user of the job may not read them."""


async def find_foreign_dependencies(tx: Tx, user_id: int | None, needs: Sequence[Need]) -> dict[int, str]:
    """The ids and names of the jobs of other projects that a job needs: those of the newest successful pipeline of the ref.

    `MissingDependency` if one of them has no artifacts, or the user of the job may not read them.
    """
    found: dict[int, str] = {}
    user = await find_active_user(tx, user_id or 0)
    # A job of an administrator gets no more than their memberships give.
    actor = ANONYMOUS if user is None else msgspec.structs.replace(user, admin=False)
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
