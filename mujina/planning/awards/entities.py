"""Awards as the API shows them."""

import msgspec

from mujina.accounts.users.entities import RefRow, UserRef
from mujina.kernel.db.entities import Computed, to_entity
from mujina.kernel.db.rows import Row, find_row
from mujina.kernel.db.sql.selection import Selection, ascending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.lists.pages import load_rows
from mujina.planning.awards.rules import Awardable, awards_of


class Award(msgspec.Struct):
    id: int
    name: str
    user: UserRef
    created_at: str
    updated_at: str
    awardable_id: Computed[int]
    awardable_type: Computed[str]


class AwardView(Row, alias="award", of=Award):
    """An award with the user (`u`) who gave it."""

    user: RefRow

    def award(self, awardable: Awardable) -> Award:
        return to_entity(Award, self, user=self.user.shown(), awardable_id=awardable.id, awardable_type=awardable.type)


async def load_page(tx: Tx, awardable: Awardable, page: Page) -> Paged[Award]:
    """One page, the oldest first."""
    rows = await load_rows(tx, AwardView, awards_of(awardable), ascending("award.id"), page)
    return rows.map(lambda row: row.award(awardable))


async def load_one(tx: Tx, awardable: Awardable, award_id: int) -> Award:
    """One award; 404 if it was removed in the meantime."""
    selection = Selection("awards award JOIN users u ON u.id = award.user_id", "award.id = :id", id=award_id)
    return (await find_row(tx, AwardView, selection, "Award Emoji")).award(awardable)
