"""What is shown of an award."""

from typing import LiteralString

import msgspec

from mujina.accounts.users.entities import REF, RefRow, UserRef
from mujina.kernel import errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.paging import Page
from mujina.planning.awards.rules import Subject, given_to


class Award(msgspec.Struct):
    id: int
    name: str
    user: UserRef
    created_at: str
    updated_at: str
    awardable_id: int
    awardable_type: str


class ShownRow(RefRow):
    """The columns of `COLUMNS`."""

    award_id: int
    award_name: str
    created_at: str
    updated_at: str

    def award(self, subject: Subject) -> Award:
        return Award(
            self.award_id, self.award_name, self.shown(), self.created_at, self.updated_at, subject.id, subject.type
        )


COLUMNS: LiteralString = f"{REF}, award.id, award.name, award.created_at, award.updated_at"


async def listed(tx: Tx, subject: Subject, page: Page) -> list[Award]:
    """One page of what this was given, the oldest first."""
    chosen = given_to(subject)
    rows = await tx.rows(
        ShownRow,
        f"SELECT {COLUMNS} {chosen.text} ORDER BY award.id LIMIT :limit OFFSET :offset",
        **chosen.bound,
        **page.bound,
    )
    return [row.award(subject) for row in rows]


async def single(tx: Tx, subject: Subject, award_id: int) -> Award:
    """One award; it may have been taken back since it was found."""
    row = await tx.row(
        ShownRow,
        f"SELECT {COLUMNS} FROM awards award JOIN users u ON u.id = award.user_id WHERE award.id = :id",
        id=award_id,
    )
    if row is None:
        raise errors.not_found("Award Emoji")
    return row.award(subject)
