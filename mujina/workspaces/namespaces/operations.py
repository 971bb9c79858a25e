"""Changing namespaces."""

from mujina.accounts.paths import plans
from mujina.accounts.users import operations as users
from mujina.kernel import errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.params import UNSET
from mujina.kernel.permissions.actor import Actor
from mujina.workspaces.groups import operations as groups
from mujina.workspaces.namespaces.params import EditNamespace


async def edit(tx: Tx, actor: Actor, namespace_id: int, change: EditNamespace) -> None:
    """Set the plan and the limit of runner minutes, as far as they are given. The owner of the namespace has the limit."""
    minutes = change.shared_runners_minutes_limit
    if minutes is not UNSET and (minutes or 0) < 0:
        raise errors.invalid({"shared_runners_minutes_limit": ["must be greater than or equal to 0"]})
    if change.plan is not UNSET:
        await plans.choose(tx, actor, namespace_id, change.plan or None)
    if minutes is UNSET:
        return
    owner_id = await tx.value("SELECT n.owner_id FROM namespaces n WHERE n.id = :id", id=namespace_id)
    if owner_id is None:
        await groups.limit_minutes(tx, actor, namespace_id, minutes)
    else:
        await users.limit_minutes(tx, actor, owner_id, minutes)
