"""Merge requests whose source project goes, or leaves the network of forks."""

from mujina.kernel import clock
from mujina.kernel.db.rows import update
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Event, record
from mujina.workspaces.projects.origins.networks import related


async def close_requests_of_deleted(tx: Tx, event: Event) -> None:
    """Close what the deleted project asked others to merge, as the user who deleted it, whatever their rights there."""
    for request_id, target_id in await _open_into_others(tx, event.subject_id):
        await _close(tx, event, request_id, target_id)


async def close_requests_of_unlinked(tx: Tx, event: Event) -> None:
    """Close what the project asked those to merge with which it no longer shares a source."""
    before, after = event.changes.get("forked_from_id", (None, None))
    if before is None or after is not None:
        return
    for request_id, target_id in await _open_into_others(tx, event.subject_id):
        if not await related(tx, event.subject_id, target_id):
            await _close(tx, event, request_id, target_id)


async def _open_into_others(tx: Tx, project_id: int) -> list[tuple[int, int]]:
    return await tx.rows(
        tuple[int, int],
        """SELECT mr.id, mr.project_id FROM merge_requests mr
           WHERE mr.source_project_id = :id AND mr.project_id <> :id AND mr.state = 'opened'
           ORDER BY mr.id FOR UPDATE OF mr""",
        id=project_id,
    )


async def _close(tx: Tx, event: Event, request_id: int, target_id: int) -> None:
    now = clock.now()
    columns = {"state": "closed", "closed_at": now, "closed_by_id": event.actor_id, "updated_at": now}
    await update(tx, "merge_requests", columns, id=request_id)
    await record(
        tx, "merge_request.closed", event.actor, subject_id=request_id, project_id=target_id,
        changes={"state": ("opened", "closed")},
    )  # fmt: skip
