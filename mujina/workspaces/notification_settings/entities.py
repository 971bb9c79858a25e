"""Wishes about notifications as they are shown."""

import msgspec
from msgspec import UNSET, UnsetType

from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx
from mujina.workspaces.notification_settings.params import EVENTS
from mujina.workspaces.notification_settings.rules import About, Wish, find_wish


class NotificationSettings(msgspec.Struct):
    level: str
    notification_email: str | UnsetType = UNSET
    """Of everything; mails about single groups and projects go there too."""
    events: dict[str, bool] | UnsetType = UNSET
    """At the level custom."""


async def single(tx: Tx, actor: Actor, about: About) -> NotificationSettings:
    """What the caller wants to hear of this."""
    wish = await find_wish(tx, actor.id, about)
    if about.kind != "everything":
        return NotificationSettings(wish.level, events=_events(wish))
    email = wish.email or await tx.value("SELECT u.email FROM users u WHERE u.id = :id", id=actor.id)
    return NotificationSettings(wish.level, email, _events(wish))


def _events(wish: Wish) -> dict[str, bool] | UnsetType:
    wanted = wish.events.split()
    return {name: name in wanted for name in EVENTS} if wish.level == "custom" else UNSET
