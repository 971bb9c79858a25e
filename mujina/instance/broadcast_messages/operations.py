"""Creating, editing and removing broadcast messages."""

import re
from datetime import timedelta
from typing import Any

import msgspec

from mujina.instance.broadcast_messages.params import CreateBroadcast, EditBroadcast
from mujina.instance.broadcast_messages.rules import BroadcastRow
from mujina.kernel import clock
from mujina.kernel.db.rows import changed_columns, delete_row, insert_id, timestamps, update
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
    defaults = {
        "starts_at": clock.now(), "ends_at": clock.later(DEFAULT_DURATION), "color": DEFAULT_COLOR, "font": DEFAULT_FONT,
    }  # fmt: skip
    columns = {**defaults, **{name: value or defaults.get(name, value) for name, value in change.sent_fields().items()}}
    _check(columns)
    broadcast_id: int = await insert_id(tx, "broadcast_messages", **columns, **timestamps())
    shown = {name: (None, columns[name]) for name in ("message", "starts_at", "ends_at")}
    await record(tx, "broadcast_message.created", actor, subject_id=broadcast_id, changes=shown)
    return broadcast_id


async def edit(tx: Tx, actor: Actor, before: BroadcastRow, change: EditBroadcast) -> None:
    """Apply the change and record it."""
    columns = change.sent_fields()
    _check(msgspec.structs.asdict(before) | columns)
    await update(tx, "broadcast_messages", {**columns, "updated_at": clock.now()}, id=before.id)
    await record(tx, "broadcast_message.updated", actor, subject_id=before.id, changes=changed_columns(before, columns))


async def remove(tx: Tx, actor: Actor, broadcast: BroadcastRow) -> None:
    """The message is no longer shown."""
    await delete_row(tx, "broadcast_messages", "Broadcast Message", id=broadcast.id)
    changes = {"message": (broadcast.message, None)}
    await record(tx, "broadcast_message.deleted", actor, subject_id=broadcast.id, changes=changes)


def _check(columns: dict[str, Any]) -> None:
    problems = Problems()
    problems.require("message", columns["message"], _MAX_LENGTH)
    for name in ("color", "font"):
        if not _COLOR_CODE.fullmatch(columns[name]):
            problems.add(name, "must be a valid color code")
    problems.refuse()
