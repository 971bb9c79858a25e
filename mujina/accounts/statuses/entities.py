"""The status of a user as responses show it."""

import html

import msgspec

from mujina.accounts.statuses.rules import UserStatusRow


class UserStatus(msgspec.Struct):
    """Every field is null for a user who set none, or whose status has ended."""

    emoji: str | None = None
    message: str | None = None
    availability: str | None = None
    message_html: str | None = None
    clear_status_at: str | None = None


def to_entity(row: UserStatusRow | None) -> UserStatus:
    if row is None:
        return UserStatus()
    return UserStatus(row.emoji or None, row.message, row.availability, html.escape(row.message), row.clear_at)
