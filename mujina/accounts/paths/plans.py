"""The plan of a namespace."""

from typing import Final

from mujina.kernel import clock, errors
from mujina.kernel.db.rows import update
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import NOT_LISTED
from mujina.kernel.events import record
from mujina.kernel.permissions.actor import Actor

DEFAULT: Final = "default"
PLANS: Final = (DEFAULT, "early_adopter", "bronze", "silver", "gold")


async def choose(tx: Tx, actor: Actor, namespace_id: int, plan: str | None) -> None:
    """Set the plan of the namespace; None is the default."""
    if plan and plan not in PLANS:
        raise errors.invalid({"plan": [NOT_LISTED]})
    before = await tx.value("SELECT n.plan FROM namespaces n WHERE n.id = :id FOR UPDATE", id=namespace_id)
    await update(tx, "namespaces", {"plan": plan or None, "updated_at": clock.now()}, id=namespace_id)
    await record(tx, "namespace.updated", actor, subject_id=namespace_id, changes={"plan": (before, plan or None)})
