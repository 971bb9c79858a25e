"""Requests for access: created, approved, withdrawn."""

from typing import Final, LiteralString

from mujina.kernel import clock, errors
from mujina.kernel.db.rows import delete_row, insert
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import record
from mujina.kernel.html.owners import OwnerKind
from mujina.kernel.permissions.actor import Actor
from mujina.workspaces.members import operations as members
from mujina.workspaces.members.rules import REQUEST_ACCESS, Source

EXISTS = "already exists in source"


async def create(tx: Tx, actor: Actor, source: Source) -> None:
    """Store the actor's request: 403 where requests are disabled, and for members."""
    if not await tx.value(_REQUESTABLE[source.kind], id=source.id, **actor.bound):
        raise errors.forbidden()
    inserted = await insert(
        tx, "access_requests", "ON CONFLICT DO NOTHING", user_id=actor.id, requested_at=clock.now(), **source.bound
    )
    if not inserted:
        raise errors.invalid({"user_id": [EXISTS]})
    await _record(tx, "created", actor, source, actor.id)


async def approve(tx: Tx, actor: Actor, source: Source, user_id: int, level: int) -> None:
    """Make the requester a member."""
    await members.add(tx, actor, source, user_id, level, None)


async def withdraw(tx: Tx, actor: Actor, source: Source, user_id: int) -> None:
    """Delete the request: its author withdrew it, or it was denied."""
    await delete_row(tx, "access_requests", "Access Request", user_id=user_id, **source.bound)
    await _record(tx, "deleted", actor, source, user_id)


_REQUESTABLE: Final[dict[OwnerKind, LiteralString]] = {
    "group": f"SELECT {REQUEST_ACCESS['group'].standalone} FROM groups g WHERE g.id = :id",
    "project": f"SELECT {REQUEST_ACCESS['project'].standalone} FROM projects p WHERE p.id = :id",
}


async def _record(tx: Tx, verb: str, actor: Actor, source: Source, user_id: int) -> None:
    await record(tx, f"access_request.{verb}", actor, subject_id=user_id, **source.ids)
