"""The notification settings of a user, as stored."""

from typing import Annotated, Literal

import msgspec

from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx


class NotificationScope(msgspec.Struct, frozen=True):
    """The scope of the settings: everything, or one group or project."""

    kind: Literal["everything", "group", "project"] = "everything"
    id: int = 0

    @property
    def bound(self) -> dict[str, int | str]:
        return {"source_kind": self.kind, "source_id": self.id}


class NotificationSettingsRow(Row, alias="s"):
    level: str
    email: Annotated[str | None, "(SELECT a.email FROM emails a WHERE a.user_id = s.user_id AND a.email = s.email)"]
    """None: the primary address."""
    events: str
    """The enabled events of the level custom, separated by spaces."""


async def find_settings(tx: Tx, user_id: int, scope: NotificationScope) -> NotificationSettingsRow:
    """The user's settings; by default `participating`, and for a group or project `global`."""
    found = await tx.row(
        NotificationSettingsRow,
        f"""
        SELECT {NotificationSettingsRow.columns} FROM notification_settings s
        WHERE s.user_id = :user_id AND s.source_kind = :source_kind AND s.source_id = :source_id
        """,
        user_id=user_id,
        **scope.bound,
    )
    return found or NotificationSettingsRow("participating" if scope.kind == "everything" else "global", None, "")
