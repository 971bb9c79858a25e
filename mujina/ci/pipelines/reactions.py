"""What pipelines do about events."""

from typing import LiteralString

from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Event
from mujina.kernel.jobs.queue import enqueue

JOBS_ENABLED: LiteralString = "EXISTS (SELECT 1 FROM projects p WHERE p.id = :project_id AND p.jobs_enabled)"


async def enqueue_pipelines_of_push(tx: Tx, event: Event) -> None:
    """A task makes the pipelines of the push, whatever happens to the process that recorded it."""
    await enqueue(tx, "pipelines.create_after_push", event.changes["push_id"], owner_id=event.actor_id)
