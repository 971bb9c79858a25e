"""Explicit subscriptions."""

from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx


async def put(tx: Tx, actor: Actor, kind: str, id: int, *, subscribed: bool) -> bool:
    """Store the choice of the actor, which overrides participation; False if it was stored before."""
    changed = await tx.run(
        """
        INSERT INTO subscriptions (subject_kind, subject_id, user_id, subscribed)
        VALUES (:kind, :id, :user_id, :subscribed)
        ON CONFLICT (subject_kind, subject_id, user_id) DO UPDATE SET subscribed = excluded.subscribed
        WHERE subscriptions.subscribed <> excluded.subscribed
        """,
        kind=kind, id=id, user_id=actor.id, subscribed=subscribed,
    )  # fmt: skip
    return changed > 0


async def delete_project_subscriptions(tx: Tx, project_id: int) -> None:
    """Delete the subscriptions to issues of a removed project."""
    await tx.run(
        """DELETE FROM subscriptions WHERE subject_kind = 'issue'
           AND subject_id IN (SELECT i.id FROM issues i WHERE i.project_id = :id)""",
        id=project_id,
    )
