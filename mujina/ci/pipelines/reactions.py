"""What pipelines do about events and requests, without what makes them: every start imports this."""

from typing import LiteralString

from mujina.code.pushes.changes import BRANCHES
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Event
from mujina.kernel.jobs.queue import enqueue

JOBS_ENABLED: LiteralString = "EXISTS (SELECT 1 FROM projects p WHERE p.id = :project_id AND p.jobs_enabled)"
SOURCE_JOBS_ENABLED: LiteralString = """EXISTS (SELECT 1 FROM merge_requests mr
    JOIN projects p ON p.id = mr.source_project_id WHERE mr.id = :subject_id AND p.jobs_enabled)"""
_AFTER_PUSH: LiteralString = "q.task = 'pipelines.create_after_push'"
PIPELINE_DUE: LiteralString = f"""(
    EXISTS (SELECT 1 FROM jobs q WHERE q.task = 'pipelines.create_for_merge_request' AND q.key = CAST(mr.id AS text)
        AND q.parked_at IS NULL)
    OR EXISTS (SELECT 1 FROM jobs q
        JOIN push_refs c ON c.push_id = CASE WHEN {_AFTER_PUSH} THEN CAST(q.key AS bigint) END
        JOIN pushes o ON o.id = c.push_id
        WHERE {_AFTER_PUSH} AND q.parked_at IS NULL AND o.project_id = mr.source_project_id
        AND c.ref = '{BRANCHES}' || mr.source_branch AND c.new_id = (
            SELECT v.head_sha FROM merge_request_versions v WHERE v.merge_request_id = mr.id ORDER BY v.id DESC LIMIT 1)))"""
"""Whether a task is enqueued that makes pipelines of the head of the request `mr`. One that was given up is not waited for."""


async def enqueue_pipelines_of_push(tx: Tx, event: Event) -> None:
    """A task makes the pipelines of the push, whatever happens to the process that recorded it."""
    await enqueue(tx, "pipelines.create_after_push", event.changes["push_id"], owner_id=event.actor_id)


async def enqueue_pipeline_of_request(tx: Tx, event: Event) -> None:
    """A task makes the pipeline of the new head, as the user who opened the request or pushed."""
    before, after = event.changes.get("sha", (None, ""))
    if event.actor_id is not None and before != after:
        await enqueue(tx, "pipelines.create_for_merge_request", event.subject_id, owner_id=event.actor_id)
