"""The jobs whose artifacts a job gets: those that it names, else all of earlier stages."""

import re
from collections.abc import Sequence
from typing import LiteralString

import msgspec

from mujina.ci.artifacts.entities import ArtifactFile, load_files
from mujina.ci.language.config import JobConfig
from mujina.kernel import clock
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx


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
        SELECT 1 FROM job_artifacts a WHERE a.job_id = j.id AND a.file_type = 'archive' AND a.expire_at <= :now))
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
