"""Removal of the comments and other traces of people around something that is deleted."""

from mujina.kernel.db.transaction import Tx
from mujina.planning.awards import operations as awards
from mujina.planning.notes import operations as notes
from mujina.planning.references.operations import delete_all_mentions
from mujina.planning.subscriptions import operations as subscriptions
from mujina.planning.todos import operations as todos


async def delete_conversations(tx: Tx, kind: str, ids: list[int]) -> None:
    """Delete notes, awards, mentions, subscriptions and todos of these rows."""
    if ids:
        await awards.delete_all(tx, kind, ids)
        await delete_all_mentions(tx, kind, ids)
        await subscriptions.delete_all(tx, kind, ids)
        await todos.delete_all(tx, kind, ids)
        await notes.delete_all(tx, kind, ids)
