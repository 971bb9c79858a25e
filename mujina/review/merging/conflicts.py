"""Merge requests that have come into conflict with their target branch."""

from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Event
from mujina.planning.subscriptions.participation import who_may_read
from mujina.planning.todos import operations as todos


async def add_conflict_todos(tx: Tx, event: Event) -> None:
    """A todo for the author, and for the user who enabled the automatic merge."""
    user_ids: list[int] = await tx.values(
        """SELECT mr.author_id FROM merge_requests mr WHERE mr.id = :id UNION SELECT mr.merge_user_id
           FROM merge_requests mr WHERE mr.id = :id AND mr.merge_when_pipeline_succeeds AND mr.merge_user_id IS NOT NULL""",
        id=event.subject_id,
    )
    readers = await who_may_read(tx, "merge_request", event.subject_id, user_ids)
    await todos.add(tx, event, readers, "unmergeable", "merge_request", event.subject_id)
