"""What somebody wants to hear, as it stands."""

from typing import Literal

import msgspec

from mujina.kernel.db.transaction import Tx


class About(msgspec.Struct, frozen=True):
    """What one hears of: everything, or one group or project."""

    kind: Literal["everything", "group", "project"] = "everything"
    id: int = 0

    @property
    def bound(self) -> dict[str, int | str]:
        return {"source_kind": self.kind, "source_id": self.id}


class Wish(msgspec.Struct, array_like=True, frozen=True):
    level: str
    email: str | None
    """None: the principal address."""
    events: str


async def find_wish(tx: Tx, user_id: int, about: About) -> Wish:
    """Their wish; without one, what they take part in, and of groups and projects what they hear of everything."""
    found = await tx.row(
        Wish,
        """
        SELECT s.level, (SELECT a.email FROM emails a WHERE a.user_id = s.user_id AND a.email = s.email), s.events
        FROM notification_settings s
        WHERE s.user_id = :user_id AND s.source_kind = :source_kind AND s.source_id = :source_id
        """,
        user_id=user_id,
        **about.bound,
    )
    return found or Wish("participating" if about.kind == "everything" else "global", None, "")
