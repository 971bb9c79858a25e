"""What awards are given to, and the only way to get one."""

import msgspec

from mujina.kernel import errors
from mujina.kernel.actor import Actor
from mujina.kernel.db.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.rules import TRUE, Condition, Rule, admin


class Subject(msgspec.Struct, frozen=True):
    """What an award is given to: something that can be commented on, or a note on it."""

    kind: str
    type: str
    """How the API calls the kind: `Issue`, `Note`."""
    id: int
    author_id: int | None
    project_id: int | None
    confidential: bool
    about: tuple[str, int]
    """Kind and id of the thing itself, or of what the note is about."""

    @property
    def bound(self) -> dict[str, str | int]:
        """As `:subject_kind` and `:subject_id`."""
        return {"subject_kind": self.kind, "subject_id": self.id}


giver = Condition("giver", "(award.user_id = :actor)")
READ_AWARD = TRUE
"""Whoever sees the subject."""
TAKE_AWARD_BACK = giver | admin


def given_to(subject: Subject) -> Selection:
    """Every award this was given."""
    return Selection(
        "awards award JOIN users u ON u.id = award.user_id",
        "award.subject_kind = :subject_kind AND award.subject_id = :subject_id",
        **subject.bound,
    )


class AwardRow(msgspec.Struct, array_like=True, frozen=True):
    id: int
    name: str
    updated_at: str
    allowed: bool


async def find_award(tx: Tx, actor: Actor, subject: Subject, award_id: int, *, to: Rule = READ_AWARD) -> AwardRow:
    """The award; whoever sees the subject sees its awards, and takes back their own."""
    award = await tx.row(
        AwardRow,
        f"""
        SELECT award.id, award.name, award.updated_at, {to.one} FROM awards award
        WHERE award.id = :award_id AND award.subject_kind = :subject_kind AND award.subject_id = :subject_id
        """,
        award_id=award_id,
        **subject.bound,
        **actor.bound,
    )
    if award is None:
        raise errors.not_found("Award Emoji")
    if not award.allowed:
        # Compat: taking back another's award is refused as if the caller were not signed in.
        raise errors.unauthorized()
    return award
