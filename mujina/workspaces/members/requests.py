"""Asking for access, and what becomes of it."""

from mujina.kernel import clock, errors
from mujina.kernel.access import GUEST
from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import record
from mujina.workspaces.members import operations as members
from mujina.workspaces.members.access import GROUP_LEVEL, PROJECT_LEVEL
from mujina.workspaces.members.rules import Source

EXISTS = "already exists in source"


async def ask(tx: Tx, actor: Actor, source: Source) -> None:
    """The actor asks for access: 403 where nobody may ask, and for those who have it already."""
    if not await _open_to(tx, actor, source):
        raise errors.forbidden()
    asked = await tx.run(
        """INSERT INTO access_requests (source_kind, source_id, user_id, requested_at)
           VALUES (:source_kind, :source_id, :user_id, :now) ON CONFLICT DO NOTHING""",
        user_id=actor.id,
        now=clock.now(),
        **source.bound,
    )
    if not asked:
        raise errors.invalid({"user_id": [EXISTS]})
    await _record(tx, "created", actor, source, actor.id)


async def approve(tx: Tx, actor: Actor, source: Source, user_id: int, level: int) -> None:
    """The request becomes a membership."""
    await members.add(tx, actor, source, user_id, level, None)


async def withdraw(tx: Tx, actor: Actor, source: Source, user_id: int) -> None:
    """The request is gone, denied or taken back."""
    await members.drop_request(tx, source, user_id)
    await _record(tx, "deleted", actor, source, user_id)


async def _open_to(tx: Tx, actor: Actor, source: Source) -> bool:
    """Whether this may be asked for, by somebody without access."""
    found = await tx.row(
        tuple[bool, int],
        f"SELECT g.request_access_enabled, {GROUP_LEVEL} FROM groups g WHERE g.id = :id"
        if source.kind == "group"
        else f"SELECT p.request_access_enabled, {PROJECT_LEVEL} FROM projects p WHERE p.id = :id",
        id=source.id,
        **actor.bound,
    )
    return found is not None and found[0] and found[1] < GUEST


async def _record(tx: Tx, what: str, actor: Actor, source: Source, user_id: int) -> None:
    project_id, group_id = (source.id, None) if source.kind == "project" else (None, source.id)
    await record(tx, f"access_request.{what}", actor, subject_id=user_id, project_id=project_id, group_id=group_id)
