"""What happens to broadcast messages."""

import re
from datetime import timedelta

from mujina.instance.broadcast_messages.params import CreateBroadcast, EditBroadcast
from mujina.instance.broadcast_messages.rules import BroadcastRow
from mujina.kernel import clock
from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import Problems
from mujina.kernel.events import record

COLOR, FONT = "#E75E40", "#FFFFFF"
USUAL_LENGTH = timedelta(hours=1)
_MAX_LENGTH = 65_535
_CODE = re.compile(r"#(?:[0-9A-Fa-f]{3}){1,2}")


async def create(tx: Tx, actor: Actor, change: CreateBroadcast) -> int:
    """Everybody is told, from now for an hour unless said otherwise."""
    starts_at, ends_at = change.starts_at or clock.now(), change.ends_at or clock.later(USUAL_LENGTH)
    color, font = change.color or COLOR, change.font or FONT
    _check(change.message, color, font)
    broadcast_id: int = await tx.value(
        """
        INSERT INTO broadcast_messages (message, starts_at, ends_at, color, font, created_at, updated_at)
        VALUES (:message, :starts_at, :ends_at, :color, :font, :now, :now)
        RETURNING id
        """,
        message=change.message, starts_at=starts_at, ends_at=ends_at, color=color, font=font, now=clock.now(),
    )  # fmt: skip
    await record(tx, "broadcast_message.created", actor, subject_id=broadcast_id)
    return broadcast_id


async def edit(tx: Tx, actor: Actor, before: BroadcastRow, change: EditBroadcast) -> None:
    """Apply the change and record it."""
    said = change.given()
    after = {name: said.get(name, getattr(before, name)) for name in EditBroadcast.__struct_fields__}
    _check(after["message"], after["color"], after["font"])
    await tx.run(
        """
        UPDATE broadcast_messages SET message = :message, starts_at = :starts_at, ends_at = :ends_at, color = :color,
            font = :font, updated_at = :now WHERE id = :id
        """,
        id=before.id, now=clock.now(), **after,
    )  # fmt: skip
    changes = {name: (old, new) for name, new in after.items() if (old := getattr(before, name)) != new}
    await record(tx, "broadcast_message.updated", actor, subject_id=before.id, changes=changes)


async def remove(tx: Tx, actor: Actor, broadcast: BroadcastRow) -> None:
    """Nobody is told any more."""
    await tx.run("DELETE FROM broadcast_messages WHERE id = :id", id=broadcast.id)
    await record(tx, "broadcast_message.deleted", actor, subject_id=broadcast.id)


def _check(message: str, color: str, font: str) -> None:
    problems = Problems()
    problems.require("message", message)
    problems.limit("message", message, _MAX_LENGTH)
    for name, code in (("color", color), ("font", font)):
        if not _CODE.fullmatch(code):
            problems.add(name, "must be a valid color code")
    problems.refuse()
