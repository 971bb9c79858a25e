"""Writing the jobs of a new pipeline."""

from collections.abc import Sequence
from typing import Any

import msgspec

from mujina.ci.jobs.operations import announce_created
from mujina.ci.language.config import JobConfig
from mujina.kernel.db.rows import insert_each, timestamps
from mujina.kernel.db.transaction import Tx, Value
from mujina.kernel.permissions.actor import Actor

_encode = msgspec.json.Encoder().encode


async def store_jobs(
    tx: Tx, actor: Actor, project_id: int, pipeline_id: int, stages: Sequence[str], jobs: Sequence[JobConfig],
    *, protected: bool,
) -> None:  # fmt: skip
    """Write the jobs, all of them created and none of them started, and record that they exist."""
    order = {stage: index for index, stage in enumerate(stages)}
    shared: dict[str, Any] = {
        "project_id": project_id, "pipeline_id": pipeline_id, "user_id": actor.id or None, "protected": protected,
        **timestamps(),
    }  # fmt: skip
    await insert_each(tx, "pipeline_jobs", [{**shared, **_columns(job, order[job.stage])} for job in jobs])
    if jobs:
        ids: list[int] = await tx.values("SELECT j.id FROM pipeline_jobs j WHERE j.pipeline_id = :id", id=pipeline_id)
        await announce_created(tx, ids)


def _columns(job: JobConfig, stage_index: int) -> dict[str, Value]:
    needs = None if job.needs is None else [need.job for need in job.needs if not need.project]
    return {
        "name": job.name, "stage": job.stage, "stage_index": stage_index, "run_when": job.when,
        "allow_failure": job.allow_failure, "interruptible": job.interruptible, "start_in": job.start_in,
        "needs": None if needs is None else _encode(needs).decode(),
        "tags": _encode(sorted(set(job.tags))).decode(),
        "environment": job.environment.name if job.environment else None, "resource_group": job.resource_group,
        "options": _encode(job).decode(),
    }  # fmt: skip
