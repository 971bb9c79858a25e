"""Subscribing to merge requests."""

from mujina.kernel import errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.permissions.actor import Actor
from mujina.planning.subscriptions import operations as subscriptions
from mujina.review.merge_requests.rules import MergeRequestRow
from mujina.review.merge_requests.subscribers import SUBSCRIBED


async def subscribe(tx: Tx, actor: Actor, request: MergeRequestRow, *, subscribed: bool) -> None:
    """Subscribe or unsubscribe the actor; 304 if nothing changes."""
    current = await tx.value(
        f"SELECT {SUBSCRIBED} FROM merge_requests mr WHERE mr.id = :id", id=request.id, **actor.bound
    )
    if bool(current) == subscribed or not await subscriptions.put(
        tx, actor, "merge_request", request.id, subscribed=subscribed
    ):
        raise errors.not_modified()
