"""Removal of the rows that belong to a deleted merge request."""

from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Event
from mujina.kernel.jobs.queue import enqueue
from mujina.planning.discussions.removal import delete_conversations


async def delete_merge_request_conversations(tx: Tx, event: Event) -> None:
    await delete_conversations(tx, "merge_request", [event.subject_id])


async def enqueue_removal_of_refs(tx: Tx, event: Event) -> None:
    """The commits of the request can no longer be fetched by its number."""
    await remove_refs(tx, event.project_id or 0, event.changes["iid"][0])


async def remove_refs(tx: Tx, project_id: int, iid: int) -> None:
    await enqueue(tx, "merge_requests.remove_refs", f"{project_id}!{iid}")
