"""What is shown of members, and of those who would like to be."""

from typing import LiteralString

import msgspec

from mujina.accounts.users.entities import REF, RefRow, UserRef
from mujina.kernel import errors
from mujina.kernel.clock import NEVER
from mujina.kernel.db.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.paging import Page
from mujina.workspaces.members.rules import Source


class Member(UserRef):
    """A person and the access they were given."""

    access_level: int
    expires_at: str | None


class AccessRequest(UserRef):
    """A person and when they asked for access."""

    requested_at: str


class ShownMember(RefRow):
    """The columns of `MEMBER`."""

    level: int
    expires_on: str

    def member(self) -> Member:
        expires = None if self.expires_on == NEVER else self.expires_on
        return Member(**msgspec.structs.asdict(self.shown()), access_level=self.level, expires_at=expires)


class ShownRequest(RefRow):
    """The columns of `REQUEST`."""

    requested_at: str

    def request(self) -> AccessRequest:
        return AccessRequest(**msgspec.structs.asdict(self.shown()), requested_at=self.requested_at)


MEMBER: LiteralString = f"{REF}, m.level, m.expires_on"
REQUEST: LiteralString = f"{REF}, a.requested_at"


async def listed(tx: Tx, chosen: Selection, page: Page) -> list[Member]:
    """One page of members, in the order in which they joined the instance."""
    rows = await tx.rows(
        ShownMember,
        f"SELECT {MEMBER} {chosen.text} ORDER BY u.id LIMIT :limit OFFSET :offset",
        **chosen.bound,
        **page.bound,
    )
    return [row.member() for row in rows]


async def one_of(tx: Tx, chosen: Selection, user_id: int) -> Member:
    """One of these members; 404 for anybody else."""
    chosen.only("u.id = :user_id", user_id=user_id)
    row = await tx.row(ShownMember, f"SELECT {MEMBER} {chosen.text}", **chosen.bound)
    if row is None:
        raise errors.not_found("Member")
    return row.member()


async def single(tx: Tx, source: Source, user_id: int) -> Member:
    """The person's own row here."""
    row = await tx.row(
        ShownMember,
        f"""SELECT {MEMBER} FROM members m JOIN users u ON u.id = m.user_id
            WHERE m.source_kind = :source_kind AND m.source_id = :source_id AND m.user_id = :user_id""",
        user_id=user_id,
        **source.bound,
    )
    if row is None:
        raise errors.not_found("Member")  # removed a moment ago
    return row.member()


async def requests(tx: Tx, chosen: Selection, page: Page) -> list[AccessRequest]:
    """One page of requests, the oldest first."""
    rows = await tx.rows(
        ShownRequest,
        f"SELECT {REQUEST} {chosen.text} ORDER BY a.requested_at, u.id LIMIT :limit OFFSET :offset",
        **chosen.bound,
        **page.bound,
    )
    return [row.request() for row in rows]


async def request(tx: Tx, source: Source, user_id: int) -> AccessRequest:
    row = await tx.row(
        ShownRequest,
        f"""SELECT {REQUEST} FROM access_requests a JOIN users u ON u.id = a.user_id
            WHERE a.source_kind = :source_kind AND a.source_id = :source_id AND a.user_id = :user_id""",
        user_id=user_id,
        **source.bound,
    )
    if row is None:
        raise errors.not_found("Access Request")  # removed a moment ago
    return row.request()
