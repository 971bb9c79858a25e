"""What is shown of a member."""

from typing import LiteralString

import msgspec

from mujina.domains.members.rules import Source
from mujina.domains.users.entities import REF, RefRow, UserRef
from mujina.kernel.clock import NEVER
from mujina.kernel.db.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.paging import Page


class Member(UserRef):
    """A person and the access they were given."""

    access_level: int
    expires_at: str | None


class MemberRow(RefRow, array_like=True, frozen=True):
    level: int
    expires_on: str

    def member(self) -> Member:
        ref = self.shown()
        expires = None if self.expires_on == NEVER else self.expires_on
        return Member(**msgspec.structs.asdict(ref), access_level=self.level, expires_at=expires)


COLUMNS: LiteralString = f"{REF}, m.level, m.expires_on"


async def listed(tx: Tx, chosen: Selection, page: Page) -> list[Member]:
    """One page of members, in the order in which they joined the instance."""
    rows = await tx.rows(
        MemberRow,
        f"SELECT {COLUMNS} {chosen.text} ORDER BY u.id LIMIT :limit OFFSET :offset",
        **chosen.bound,
        **page.bound,
    )
    return [row.member() for row in rows]


async def single(tx: Tx, source: Source, user_id: int) -> Member:
    """The person's own row here."""
    row = await tx.row(
        MemberRow,
        f"""SELECT {COLUMNS} FROM members m JOIN users u ON u.id = m.user_id
            WHERE m.source_kind = :source_kind AND m.source_id = :source_id AND m.user_id = :user_id""",
        user_id=user_id,
        **source.bound,
    )
    assert row is not None
    return row.member()
