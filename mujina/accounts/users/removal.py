"""People who leave the instance for good: gone from every answer at once, their data removed in the background."""

from mujina.accounts.emails import operations as emails
from mujina.accounts.users import accounts
from mujina.accounts.users.rules import UserRow, find_person
from mujina.kernel import clock, errors
from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Event, record
from mujina.kernel.jobs.queue import enqueue
from mujina.kernel.params import Ref
from mujina.workspaces.attributes import operations as attributes
from mujina.workspaces.groups import operations as groups
from mujina.workspaces.groups.rules import find_group
from mujina.workspaces.members.ownership import groups_owned_alone
from mujina.workspaces.namespaces import operations as namespaces
from mujina.workspaces.projects import removal as projects
from mujina.workspaces.projects import stars

SOLE_OWNER = "User cannot be removed while is the sole-owner of a group"


async def remove(tx: Tx, actor: Actor, user: UserRow, *, hard: bool) -> None:
    """No answer knows the person, their projects or their credentials any more; their name may be claimed again.

    `hard` takes what they wrote and the groups that only they own with them.
    """
    owned = await groups_owned_alone(tx, user.id)
    if owned and not hard:
        raise errors.conflict(SOLE_OWNER)
    await namespaces.hold(tx, *map(Ref.of, owned), owner_id=user.id)
    user = await find_person(tx, user.id)
    await accounts.check_not_last(tx, user)
    for group_id in owned:
        await groups.remove(tx, actor, await find_group(tx, actor, Ref.of(group_id)))
    if (namespace_id := await _namespace_of(tx, user.id)) is not None:
        await projects.remove_in(tx, namespace_id)
    await namespaces.close(tx, user.username)
    await emails.release_user(tx, user.id)
    await tx.run("UPDATE users SET deleted_at = :now WHERE id = :id", id=user.id, now=clock.now())
    await record(
        tx, "user.deleted", actor, subject_id=user.id,
        changes={"username": (user.username, None), "name": (user.name, None), "email": (user.email, None),
                 "hard_delete": (None, hard)},
    )  # fmt: skip


async def clear_away(tx: Tx, event: Event) -> None:
    """What a deleted person left is given to the ghost, or erased with them if that was asked for."""
    hard = event.changes["hard_delete"][1]
    await enqueue(tx, "users.erase" if hard else "users.remove", event.subject_id)


async def erase(tx: Tx, user_id: int) -> bool:
    """The rows of a deleted person; False while projects of theirs are still being removed."""
    namespace_id = await _namespace_of(tx, user_id)
    if namespace_id is not None:
        while await projects.announce(tx, [namespace_id]):
            pass
        if await projects.remain(tx, [namespace_id]):
            return False
        await namespaces.erase(tx, [namespace_id])
    await stars.forget(tx, user_id)
    await attributes.forget(tx, "user", [user_id])
    await tx.run("DELETE FROM users WHERE id = :id AND deleted_at IS NOT NULL", id=user_id)
    return True


async def _namespace_of(tx: Tx, user_id: int) -> int | None:
    return await tx.value("SELECT n.id FROM namespaces n WHERE n.owner_id = :id", id=user_id)
