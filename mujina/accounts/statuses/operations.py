"""Setting one's own status."""

from datetime import UTC, datetime, timedelta
from typing import Final

from mujina.accounts.statuses.params import MAX_MESSAGE_LENGTH, SetUserStatus
from mujina.accounts.statuses.rules import UserStatusRow, find_status
from mujina.kernel import clock
from mujina.kernel.db.rows import upsert
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import Problems
from mujina.kernel.http.params import UNSET
from mujina.kernel.permissions.actor import Actor

DEFAULT_EMOJI: Final = "speech_balloon"
_UNITS: Final = {"minutes": 60, "hours": 3_600, "day": 86_400, "days": 86_400}
_NONE: Final = UserStatusRow("", "", "not_set", None)


async def replace(tx: Tx, actor: Actor, change: SetUserStatus) -> None:
    """The status is this one; what is not given is cleared."""
    await _write(tx, actor, _NONE, change)


async def edit(tx: Tx, actor: Actor, change: SetUserStatus) -> None:
    """What is not given stays."""
    await _write(tx, actor, await find_status(tx, actor.id) or _NONE, change)


async def _write(tx: Tx, actor: Actor, before: UserStatusRow, change: SetUserStatus) -> None:
    message = (before.message if change.message is UNSET else change.message).strip()
    emoji = before.emoji if change.emoji is UNSET else change.emoji
    availability = before.availability if change.availability is UNSET else change.availability
    problems = Problems()
    problems.limit("message", message, MAX_MESSAGE_LENGTH)
    problems.refuse()
    if not (message or emoji or availability == "busy"):
        await tx.run("DELETE FROM user_statuses WHERE user_id = :user_id", user_id=actor.id)
        return
    clear_at = before.clear_at if change.clear_status_after is UNSET else _ends_at(change.clear_status_after)
    await upsert(
        tx, "user_statuses", "user_id", user_id=actor.id, emoji=emoji or DEFAULT_EMOJI, message=message,
        availability=availability, clear_at=clear_at,
    )  # fmt: skip


async def delete_status(tx: Tx, user_id: int) -> None:
    """A user who is removed has none."""
    await tx.run("DELETE FROM user_statuses WHERE user_id = :user_id", user_id=user_id)


def _ends_at(after: str | None) -> str | None:
    """`3_hours` from now."""
    if after is None:
        return None
    number, _, unit = after.partition("_")
    return clock.iso(datetime.fromtimestamp(clock.timestamp(), UTC) + timedelta(seconds=int(number) * _UNITS[unit]))
