"""The subscribers of an epic."""

from typing import LiteralString

from mujina.kernel import errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.permissions.actor import Actor
from mujina.planning.epics.rules import EpicRow
from mujina.planning.subscriptions import operations as subscriptions
from mujina.planning.subscriptions.participation import subscribed

SUBSCRIBED: LiteralString = subscribed("epic", "e.id", "e.author_id = :actor")
"""Whether the actor is subscribed to the epic `e`."""


async def subscribe(tx: Tx, actor: Actor, epic: EpicRow, *, subscribed: bool) -> None:
    """Subscribe or unsubscribe the actor; 304 if nothing changes."""
    current = await tx.value(f"SELECT {SUBSCRIBED} FROM epics e WHERE e.id = :id", id=epic.id, **actor.bound)
    if bool(current) == subscribed or not await subscriptions.put(tx, actor, "epic", epic.id, subscribed=subscribed):
        raise errors.not_modified()
