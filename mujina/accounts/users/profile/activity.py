"""The last day on which a user was active."""

from mujina.kernel import clock
from mujina.kernel.db.replica import ReadOnlyReplica, write_attempt
from mujina.kernel.db.transaction import Database, Tx
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.storage.errors import storage_problem


async def record_activity(database: Database, actor: Actor, seen_on: str | None) -> None:
    """Record that the user is active today: one write a day, if `seen_on` is an earlier day."""
    today = clock.today()
    if not actor.anonymous and seen_on != today:
        try:
            async with database.transaction() as tx:
                await tx.run("UPDATE users SET last_activity_on = :today WHERE id = :id", id=actor.id, today=today)
        except ReadOnlyReplica:
            if write_attempt.get() is not None:  # the primary answers the request, and records this
                raise
        except Exception as error:
            if storage_problem(error) is None:  # with full storage, reading goes on
                raise


async def record_sign_in(tx: Tx, user_id: int) -> None:
    """Record a sign-in; the previous one becomes `last_sign_in_at`."""
    await tx.run(
        """
        UPDATE users SET last_sign_in_at = coalesce(current_sign_in_at, :now), current_sign_in_at = :now,
            last_activity_on = :today
        WHERE id = :id
        """,
        id=user_id,
        now=clock.now(),
        today=clock.today(),
    )
