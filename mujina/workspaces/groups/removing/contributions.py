"""The groups and personal projects of a user who is removed."""

from mujina.accounts.paths.rules import lock_trees
from mujina.kernel import errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import Actor
from mujina.workspaces.groups import operations
from mujina.workspaces.groups.rules import find_group
from mujina.workspaces.members.granting.ownership import groups_owned_alone, lock_owners
from mujina.workspaces.projects.removing import with_owner as projects

SOLE_OWNER = "User cannot be removed while is the sole-owner of a group"


async def remove_workspaces(tx: Tx, actor: Actor, user_id: int, hard: bool) -> None:
    """Hide the user's personal projects from every answer, and with `hard` the groups that only they own.

    409 without `hard` while there are such groups. The trees stay locked until the transaction ends.
    """
    await lock_owners(tx, user_id)
    owned = await groups_owned_alone(tx, user_id, permanent=not hard)
    if owned and not hard:
        raise errors.conflict(SOLE_OWNER)
    await lock_trees(tx, *map(Ref.of, owned), owner_id=user_id)
    for group_id in owned:
        await operations.remove(tx, actor, await find_group(tx, actor, Ref.of(group_id)))
    await projects.remove_personal(tx, user_id)
