"""What goes with a deleted merge request."""

from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Event
from mujina.planning.discussions.removal import delete_conversations


async def delete_merge_request_conversations(tx: Tx, event: Event) -> None:
    await delete_conversations(tx, "merge_request", [event.subject_id])
