"""The things that take awards, and the only way to find an award."""

from typing import Annotated, LiteralString, Self

import msgspec

from mujina.kernel import errors
from mujina.kernel.db.entities import to_entity
from mujina.kernel.db.rows import Row
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.permissions.rules import REQUESTED, TRUE, Condition, Rule, admin
from mujina.planning.noteables.kinds import Noteable


class Awardable(msgspec.Struct, frozen=True):
    """The owner of awards: a noteable, or a note on one."""

    kind: str
    type: str
    """The kind as the API spells it: `Issue`, `Note`."""
    id: int
    author_id: int | None
    project_id: int | None
    confidential: bool
    noteable: tuple[str, int]
    """Kind and id of the noteable itself, or of the noteable that the note is on."""
    group_id: int | None = None

    @classmethod
    def of(cls, noteable: Noteable) -> Self:
        """A noteable itself."""
        return to_entity(cls, noteable, noteable=(noteable.kind, noteable.id))

    @property
    def bound(self) -> dict[str, str | int]:
        """The parameters `:subject_kind` and `:subject_id`."""
        return {"subject_kind": self.kind, "subject_id": self.id}


giver = Condition("giver", "(award.user_id = :actor)")
READ_AWARD = TRUE
"""Everyone who may read the awardable."""
REMOVE_AWARD = giver | admin
_VOTES = frozenset({"thumbsup", "thumbsdown"})


def may_give(actor: Actor, awardable: Awardable, emoji: str) -> bool:
    """Whether a signed-in user who reads a text may give it this emoji: nobody votes on their own texts."""
    return not actor.anonymous and not (emoji in _VOTES and awardable.author_id == actor.id)


def awarded(kind: LiteralString, id: LiteralString) -> LiteralString:
    """Whether the row of this kind and id has awards."""
    return f"EXISTS (SELECT 1 FROM awards award WHERE award.subject_kind = '{kind}' AND award.subject_id = {id})"


def awards_of(awardable: Awardable) -> Selection:
    return Selection(
        "awards award JOIN users u ON u.id = award.user_id",
        "award.subject_kind = :subject_kind AND award.subject_id = :subject_id",
        **awardable.bound,
    )


class AwardRow(Row, alias="award"):
    id: int
    name: str
    updated_at: str


class FoundAward(AwardRow):
    """An award, and whether the actor may do with it what the look-up is about."""

    allowed: Annotated[bool, REQUESTED]


async def find_award(tx: Tx, actor: Actor, awardable: Awardable, award_id: int, *, to: Rule = READ_AWARD) -> AwardRow:
    """The award, if the actor may do this with it."""
    found = await tx.row(
        FoundAward,
        f"""
        SELECT {FoundAward.columns_assuming({REQUESTED: to})} FROM awards award
        WHERE award.id = :award_id AND award.subject_kind = :subject_kind AND award.subject_id = :subject_id
        """,
        award_id=award_id,
        **awardable.bound,
        **actor.bound,
    )
    award = errors.or_not_found(found, "Award Emoji")
    if not award.allowed:
        # Compat: removing the award of another user is answered with 401.
        raise errors.unauthorized()
    return award
