"""The JSON representations of notification settings."""

import msgspec
from msgspec import UNSET, UnsetType

from mujina.kernel.db.transaction import Tx
from mujina.kernel.permissions.actor import Actor
from mujina.workspaces.notification_settings.params import EVENTS
from mujina.workspaces.notification_settings.rules import NotificationScope, NotificationSettingsRow, find_settings


class NotificationSettings(msgspec.Struct):
    level: str
    notification_email: str | UnsetType = UNSET
    """Only of the scope everything; mails about single groups and projects go there too."""
    events: dict[str, bool] | UnsetType = UNSET
    """Only at the level custom."""


async def load_one(tx: Tx, actor: Actor, scope: NotificationScope) -> NotificationSettings:
    """The caller's settings for this scope."""
    settings = await find_settings(tx, actor.id, scope)
    if scope.kind != "everything":
        return NotificationSettings(settings.level, events=_events(settings))
    email = settings.email or await tx.value("SELECT u.email FROM users u WHERE u.id = :id", id=actor.id)
    return NotificationSettings(settings.level, email, _events(settings))


def _events(settings: NotificationSettingsRow) -> dict[str, bool] | UnsetType:
    enabled = settings.events.split()
    return {name: name in enabled for name in EVENTS} if settings.level == "custom" else UNSET
