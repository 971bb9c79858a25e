"""The last day on which a person did something."""

from mujina.kernel import clock
from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Database


async def note(database: Database, actor: Actor) -> None:
    """Today is the person's last day of activity; written at most once a day."""
    if actor.anonymous:
        return
    today = clock.today()
    async with database.reading() as tx:
        seen = await tx.value("SELECT u.last_activity_on FROM users u WHERE u.id = :id", id=actor.id)
    if seen != today:
        async with database.transaction() as tx:
            await tx.run("UPDATE users SET last_activity_on = :today WHERE id = :id", id=actor.id, today=today)
