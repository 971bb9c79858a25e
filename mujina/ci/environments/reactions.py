"""What environments do about events."""

from typing import LiteralString

from mujina.code.pushes.changes import BRANCHES, ZERO
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Event
from mujina.kernel.jobs.queue import enqueue

HAS_ENVIRONMENT: LiteralString = "CAST(:environment AS text) IS NOT NULL"
"""Whether the job that an event is about names an environment."""
HAS_AVAILABLE: LiteralString = """EXISTS (SELECT 1 FROM environments en
    WHERE en.project_id = :project_id AND en.state = 'available')"""
HAS_DEPLOYED: LiteralString = """EXISTS (SELECT 1 FROM pipeline_jobs j
    WHERE j.id = :subject_id AND j.status = 'success' AND j.environment IS NOT NULL)"""


async def stop_after_deletion(tx: Tx, event: Event) -> None:
    """A task stops the environments that were deployed from a branch that was deleted."""
    ref: str = event.changes["ref"]
    if ref.startswith(BRANCHES) and event.changes["sha"][1] == ZERO:
        key = f"{event.project_id}:{event.actor_id or 0}:{ref.removeprefix(BRANCHES)}"
        await enqueue(tx, "environments.stop_after_deletion", key, owner_id=event.actor_id)
