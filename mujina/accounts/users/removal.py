"""Deleting users: they disappear from every response at once; jobs remove their data."""

from mujina.accounts.emails import operations as emails
from mujina.accounts.paths import operations as paths
from mujina.accounts.users import accounts
from mujina.accounts.users.rules import UserRow, find_person
from mujina.instance.custom_attributes import operations as attributes
from mujina.kernel import clock
from mujina.kernel.actor import Actor
from mujina.kernel.db.rows import update
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Event, record
from mujina.kernel.jobs.queue import enqueue
from mujina.kernel.removals import clean_up


async def remove(tx: Tx, actor: Actor, user: UserRow, *, hard: bool) -> None:
    """Hide the user and their projects, disable their credentials, and release their name.

    `hard` also removes what they wrote and the groups of which they are the only owner.
    """
    await clean_up("user.leaves", tx, actor, user.id, hard)
    user = await find_person(tx, user.id)
    await accounts.check_not_last_admin(tx, user)
    await paths.close(tx, user.username)
    await emails.release_user(tx, user.id)
    await update(tx, "users", {"deleted_at": clock.now()}, id=user.id)
    await record(
        tx, "user.deleted", actor, subject_id=user.id,
        changes={"username": (user.username, None), "name": (user.name, None), "email": (user.email, None),
                 "hard_delete": (None, hard)},
    )  # fmt: skip


async def enqueue_removal(tx: Tx, event: Event) -> None:
    """Enqueue the job that gives what a deleted user wrote to the ghost user, or erases it after a hard removal."""
    hard = event.changes["hard_delete"][1]
    await enqueue(tx, "users.erase" if hard else "users.remove", event.subject_id, owner_id=event.actor_id)


async def erase(tx: Tx, user_id: int) -> bool:
    """Erase the rows of a deleted user. False while jobs still remove their projects."""
    if not await clean_up("user.rows", tx, user_id):
        return False
    await paths.erase_personal(tx, user_id)
    await attributes.delete_all(tx, "user", [user_id])
    await tx.run("DELETE FROM users WHERE id = :id AND deleted_at IS NOT NULL", id=user_id)
    return True
