"""Housekeeping and statistics of a project's repository."""

from datetime import timedelta
from typing import Literal

from mujina.kernel import clock, errors
from mujina.kernel.db.rows import insert
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Event, record
from mujina.kernel.jobs.queue import enqueue
from mujina.kernel.permissions.actor import Actor

HOUSEKEEPING_LEASE = timedelta(days=1)
GRACE_PERIOD = timedelta(minutes=1)
"""The request that creates a project writes its first file within this time, unless it was interrupted."""


async def request_housekeeping(tx: Tx, actor: Actor, project_id: int) -> None:
    """A job packs the repository soon; 409 if it was requested less than a day ago."""
    before = clock.later(-HOUSEKEEPING_LEASE)
    leased = await tx.run(
        """
        INSERT INTO housekeeping (project_id, started_at) VALUES (:id, :now)
        ON CONFLICT (project_id) DO UPDATE SET started_at = excluded.started_at WHERE housekeeping.started_at < :before
        """,
        id=project_id,
        now=clock.now(),
        before=before,
    )
    if not leased:
        raise errors.conflict("Somebody already triggered housekeeping for this project in the past 1440 minutes")
    await record(tx, "repository.housekeeping_wanted", actor, subject_id=project_id, project_id=project_id)


async def follow_default_branch(tx: Tx, event: Event) -> None:
    """A job updates HEAD when the default branch, or the requested one, has changed."""
    if "default_branch" in event.changes:
        await enqueue(tx, "repositories.measure", event.subject_id, owner_id=event.actor_id)


async def initialize_later(tx: Tx, event: Event) -> None:
    """A job writes the first file of a project if the request that creates it does not come to it."""
    if "initialize_with_readme" in event.changes:
        await enqueue(tx, "projects.initialize", event.subject_id, owner_id=event.actor_id, after=GRACE_PERIOD)


async def store_measures(tx: Tx, project_id: int, commit_count: int, repository_size: int) -> None:
    """Store the statistics, unless the project has been deleted."""
    await tx.run(
        """
        INSERT INTO project_statistics (project_id, commit_count, repository_size, updated_at)
        SELECT p.id, :commit_count, :repository_size, :now FROM projects p WHERE p.id = :project_id
        ON CONFLICT (project_id) DO UPDATE SET commit_count = excluded.commit_count,
            repository_size = excluded.repository_size, updated_at = excluded.updated_at
        """,
        project_id=project_id, commit_count=commit_count, repository_size=repository_size, now=clock.now(),
    )  # fmt: skip


async def add_size(
    tx: Tx, project_id: int, column: Literal["lfs_objects_size", "job_artifacts_size"], size: int
) -> None:
    """Add these bytes to the size of the project's LFS objects or artifacts; removed ones count as less than zero."""
    if size:
        await insert(
            tx, "project_statistics", f"""ON CONFLICT (project_id) DO UPDATE SET updated_at = excluded.updated_at,
                {column} = project_statistics.{column} + excluded.{column}""",
            project_id=project_id, updated_at=clock.now(), **{column: size},
        )  # fmt: skip
