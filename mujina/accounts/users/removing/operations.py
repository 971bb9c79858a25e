"""Deleting users: they disappear from every response at once; jobs remove their data."""

from datetime import timedelta
from typing import Final, Protocol

from mujina.accounts.emails import operations as emails
from mujina.accounts.gpg_keys import operations as gpg_keys
from mujina.accounts.keys import operations as keys
from mujina.accounts.paths import operations as paths
from mujina.accounts.users.removing.ghost import ghost
from mujina.accounts.users.rules import UserRow, find_user
from mujina.accounts.users.sign_in import accounts
from mujina.instance.custom_attributes import operations as attributes
from mujina.instance.identity.operations import store_fact
from mujina.kernel import clock
from mujina.kernel.db.errors import SerializationFailure
from mujina.kernel.db.rows import update
from mujina.kernel.db.transaction import Database, Tx
from mujina.kernel.events import Event, record
from mujina.kernel.jobs.queue import enqueue
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.product import ExtensionPoint
from mujina.kernel.removals import Cleanup, clean_up

RECOVERY_DELAY = timedelta(minutes=2)
MAX_CONFLICTS = 20

USER_WORKSPACES: Final = ExtensionPoint[Cleanup[Tx, Actor, int, bool]]("what a user leaves")
"""Runs in the transaction of the removal, before the user is hidden; arguments: the actor, the user and `hard`."""

USER_TRACES: Final = ExtensionPoint[Cleanup[Tx, int]]("traces of a user")
"""Runs in the transaction of the removal."""

USER_ROWS: Final = ExtensionPoint[Cleanup[Tx, int]]("rows that keep the row of a user")
"""Runs in a job, before the row of the user goes."""


class Contributions(Protocol):
    """The `contributions.py` of a slice that keeps what users write."""

    __name__: str

    async def reassign_to_ghost(self, tx: Tx, user_id: int, ghost_id: int, /) -> bool | None:
        """Runs before the removal is answered: the ghost becomes the author."""
        ...

    async def erase(self, tx: Tx, user_id: int, /) -> bool | None:
        """Runs before a hard removal is answered."""
        ...


CONTRIBUTIONS: Final = ExtensionPoint[Contributions]("what users wrote")

HIDDEN_CONTRIBUTIONS: Final = ExtensionPoint[Cleanup[Tx, int, int]]("what users wrote and no response shows")
"""Runs in a job: the ghost becomes the author; the arguments are the user and the ghost."""


async def remove(tx: Tx, actor: Actor, user: UserRow, *, hard: bool) -> bool:
    """Hide the user and their projects, disable their credentials, and release their name.

    What they wrote is the ghost's from now on; `hard` removes it, and the groups of which they are the only owner.
    False: they wrote so much that one transaction would take long; the caller has to `complete` the removal.
    """
    await lock_removals(tx)
    await clean_up(tx.product.all(USER_WORKSPACES), tx, actor, user.id, hard)
    user = await find_user(tx, user.id)
    await accounts.check_not_last_admin(tx, user)
    await paths.close(tx, user.username)
    for credentials in (emails, keys, gpg_keys):
        await credentials.release_user(tx, user.id)
    await update(tx, "users", {"deleted_at": clock.now()}, id=user.id)
    await record(
        tx, "user.deleted", actor, subject_id=user.id,
        changes={"username": (user.username, None), "name": (user.name, None), "email": (user.email, None),
                 "hard_delete": (None, hard)},
    )  # fmt: skip
    await clean_up(tx.product.all(USER_TRACES), tx, user.id)
    done = await _hand_over_batch(tx, user.id, hard=hard)
    if done:
        await enqueue(tx, _job(hard=hard), user.id, owner_id=actor.id)
    return done


async def lock_removals(tx: Tx) -> None:
    """Until the transaction ends, no other one removes a user: two users may have written and changed the same rows."""
    await store_fact(tx, "user_removal", clock.now())


async def complete(database: Database, user_id: int, *, hard: bool) -> None:
    """Hand over everything; then the job may erase the user.

    If this process dies before the end, the job of the removal does this too.
    """
    await hand_over(database, user_id, hard=hard)
    async with database.transaction() as tx:
        await enqueue(tx, _job(hard=hard), user_id)


async def hand_over(database: Database, user_id: int, *, hard: bool) -> None:
    """Give everything a deleted user wrote to the ghost, or erase it, in short transactions: no other writer waits long."""
    conflicts = 0
    while True:
        try:
            async with database.transaction() as tx:
                await lock_removals(tx)
                if await _hand_over_batch(tx, user_id, hard=hard):
                    return
        except SerializationFailure:  # a row of the batch is locked for longer than a transaction waits
            conflicts += 1
            if conflicts > MAX_CONFLICTS:
                raise


async def _hand_over_batch(tx: Tx, user_id: int, *, hard: bool) -> bool:
    """Hand over one batch of each kind; False while more is left."""
    written = tx.product.all(CONTRIBUTIONS)
    if hard:
        return await clean_up([each.erase for each in written], tx, user_id)
    return await clean_up([each.reassign_to_ghost for each in written], tx, user_id, await ghost(tx))


async def enqueue_removal(tx: Tx, event: Event) -> None:
    """Enqueue the job of the removal, in case the process that hands over dies: until then it must not compete with it."""
    hard = event.changes["hard_delete"][1]
    await enqueue(tx, _job(hard=hard), event.subject_id, owner_id=event.actor_id, after=RECOVERY_DELAY)


def _job(*, hard: bool) -> str:
    return "users.erase" if hard else "users.remove"


async def erase(tx: Tx, user_id: int) -> bool:
    """Erase the rows of a deleted user. False while jobs still remove their projects."""
    await lock_removals(tx)
    if not await clean_up(tx.product.all(USER_ROWS), tx, user_id):
        return False
    await paths.erase_personal(tx, user_id)
    await attributes.delete_all(tx, "user", [user_id])
    await tx.run("DELETE FROM users WHERE id = :id AND deleted_at IS NOT NULL", id=user_id)
    return True
