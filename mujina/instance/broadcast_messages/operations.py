"""Creating, editing and removing broadcast messages."""

import re
from datetime import timedelta

from mujina.instance.broadcast_messages.params import CreateBroadcast, EditBroadcast
from mujina.instance.broadcast_messages.rules import BroadcastRow
from mujina.kernel import clock
from mujina.kernel.db.rows import insert_id, timestamps, update
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import Problems
from mujina.kernel.events import record
from mujina.kernel.permissions.actor import Actor

DEFAULT_COLOR, DEFAULT_FONT = "#E75E40", "#FFFFFF"
DEFAULT_DURATION = timedelta(hours=1)
_MAX_LENGTH = 65_535
_COLOR_CODE = re.compile(r"#(?:[0-9A-Fa-f]{3}){1,2}")


async def create(tx: Tx, actor: Actor, change: CreateBroadcast) -> int:
    """A new message, shown from now on and for an hour by default."""
    starts_at, ends_at = change.starts_at or clock.now(), change.ends_at or clock.later(DEFAULT_DURATION)
    color, font = change.color or DEFAULT_COLOR, change.font or DEFAULT_FONT
    _check(change.message, color, font)
    broadcast_id: int = await insert_id(
        tx, "broadcast_messages", message=change.message, starts_at=starts_at, ends_at=ends_at, color=color, font=font,
        **timestamps(),
    )  # fmt: skip
    shown = {"message": (None, change.message), "starts_at": (None, starts_at), "ends_at": (None, ends_at)}
    await record(tx, "broadcast_message.created", actor, subject_id=broadcast_id, changes=shown)
    return broadcast_id


async def edit(tx: Tx, actor: Actor, before: BroadcastRow, change: EditBroadcast) -> None:
    """Apply the change and record it."""
    columns = change.given()
    _check(columns.get("message", before.message), columns.get("color", before.color), columns.get("font", before.font))
    await update(tx, "broadcast_messages", {**columns, "updated_at": clock.now()}, id=before.id)
    changes = {name: (old, new) for name, new in columns.items() if (old := getattr(before, name)) != new}
    await record(tx, "broadcast_message.updated", actor, subject_id=before.id, changes=changes)


async def remove(tx: Tx, actor: Actor, broadcast: BroadcastRow) -> None:
    """The message is no longer shown."""
    await tx.run("DELETE FROM broadcast_messages WHERE id = :id", id=broadcast.id)
    changes = {"message": (broadcast.message, None)}
    await record(tx, "broadcast_message.deleted", actor, subject_id=broadcast.id, changes=changes)


def _check(message: str, color: str, font: str) -> None:
    problems = Problems()
    problems.require("message", message)
    problems.limit("message", message, _MAX_LENGTH)
    for name, code in (("color", color), ("font", font)):
        if not _COLOR_CODE.fullmatch(code):
            problems.add(name, "must be a valid color code")
    problems.refuse()
