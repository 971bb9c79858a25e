"""Removal of the rows that belong to deleted epics."""

from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Event
from mujina.kernel.removals import BATCH
from mujina.planning.discussions.removal import delete_conversations
from mujina.planning.epics.operations import lock_groups


async def delete_epic_conversations(tx: Tx, event: Event) -> None:
    """Delete what people said and did around a deleted epic."""
    await delete_conversations(tx, "epic", [event.subject_id])


async def delete_group_epics(tx: Tx, group_ids: list[int]) -> bool:
    """Delete the epics of groups that are being erased. False: call it again for the rest."""
    ids: list[int] = await tx.values(
        "SELECT e.id FROM epics e WHERE e.group_id IN :group_ids LIMIT :batch", group_ids=group_ids, batch=BATCH
    )
    await delete_epics(tx, ids)
    return len(ids) < BATCH


async def delete_epics(tx: Tx, ids: list[int]) -> None:
    """Delete these epics and what people said and did around them."""
    ids = await tx.values("SELECT e.id FROM epics e WHERE e.id IN :ids ORDER BY e.id FOR UPDATE", ids=ids)
    await lock_groups(tx, ids)
    await delete_conversations(tx, "epic", ids)
    await tx.run("DELETE FROM epics WHERE id IN :ids", ids=ids)
