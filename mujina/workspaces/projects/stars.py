"""Who starred what."""

from mujina.kernel import clock, errors
from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx


async def star(tx: Tx, actor: Actor, project_id: int) -> None:
    """Starred once; a second time is not modified."""
    added = await tx.run(
        "INSERT INTO stars (user_id, project_id, created_at) VALUES (:actor, :id, :now) ON CONFLICT DO NOTHING",
        actor=actor.id, id=project_id, now=clock.now(),
    )  # fmt: skip
    if not added:
        raise errors.not_modified()
    await tx.run("UPDATE projects SET star_count = star_count + 1 WHERE id = :id", id=project_id)


async def unstar(tx: Tx, actor: Actor, project_id: int) -> None:
    """Not starred any more; a second time is not modified."""
    removed = await tx.run(
        "DELETE FROM stars WHERE user_id = :actor AND project_id = :id", actor=actor.id, id=project_id
    )
    if not removed:
        raise errors.not_modified()
    await tx.run("UPDATE projects SET star_count = star_count - 1 WHERE id = :id", id=project_id)


async def forget(tx: Tx, user_id: int) -> None:
    """What the person starred is not starred by them any more, nor counted."""
    await tx.run(
        """UPDATE projects SET star_count = star_count - 1
           WHERE id IN (SELECT star.project_id FROM stars star WHERE star.user_id = :user_id)""",
        user_id=user_id,
    )
    await tx.run("DELETE FROM stars WHERE user_id = :user_id", user_id=user_id)
