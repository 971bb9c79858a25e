"""The members that were given access directly, and the only way to get one."""

from typing import Literal

import msgspec

from mujina.kernel import errors
from mujina.kernel.db.selection import Selection
from mujina.kernel.db.transaction import Tx

SourceKind = Literal["group", "project"]


class Source(msgspec.Struct, frozen=True):
    """The group or project whose members are spoken of."""

    kind: SourceKind
    id: int

    @property
    def bound(self) -> dict[str, int | str]:
        return {"source_kind": self.kind, "source_id": self.id}


def direct_members(source: Source, today: str) -> Selection:
    """The unexpired rows of this group or project itself."""
    return Selection(
        "members m JOIN users u ON u.id = m.user_id",
        """m.source_kind = :source_kind AND m.source_id = :source_id AND m.expires_on > :today
           AND u.deleted_at IS NULL""",
        today=today,
        **source.bound,
    )


async def find_member(tx: Tx, source: Source, user_id: int) -> str:
    """When the person's own row here was last changed; a member by inheritance has none."""
    updated_at = await tx.value(
        """SELECT m.updated_at FROM members m
           WHERE m.source_kind = :source_kind AND m.source_id = :source_id AND m.user_id = :user_id""",
        user_id=user_id,
        **source.bound,
    )
    if updated_at is None:
        raise errors.absent("404 Not found")
    return updated_at
