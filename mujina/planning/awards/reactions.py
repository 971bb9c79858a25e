"""The reactions below a text, as its page shows them: how often each emoji was given, and which the reader may give."""

from typing import Annotated

import msgspec

from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx
from mujina.kernel.permissions.actor import Actor
from mujina.planning.awards.rules import Awardable, may_give

_MENU = ("thumbsup", "thumbsdown", "smile", "tada", "heart", "rocket", "eyes")


class ReactionCount(Row, alias="award"):
    """An emoji and how many users gave it."""

    name: str
    count: Annotated[int, "count(*)"]
    given: Annotated[bool, "max(CASE WHEN award.user_id = :actor THEN 1 ELSE 0 END) = 1"]
    """Whether the reader is among them."""


class Reactions(msgspec.Struct):
    counts: list[ReactionCount]
    """In the order in which the emoji were given first."""
    open: frozenset[str]
    """The emoji of `counts` that the reader may give or take back."""
    menu: list[str]


async def read_reactions(tx: Tx, actor: Actor, awardable: Awardable, *, awarded: bool = True) -> Reactions:
    """The reactions to a text; none are looked for where it is known that there are none."""
    counts = await _counts(tx, actor, awardable) if awarded else []
    return Reactions(
        counts,
        frozenset(each.name for each in counts if each.given or may_give(actor, awardable, each.name)),
        [name for name in _MENU if may_give(actor, awardable, name)],
    )


async def _counts(tx: Tx, actor: Actor, awardable: Awardable) -> list[ReactionCount]:
    return await tx.rows(
        ReactionCount,
        f"""
        SELECT {ReactionCount.columns} FROM awards award
        WHERE award.subject_kind = :subject_kind AND award.subject_id = :subject_id
        GROUP BY award.name ORDER BY min(award.id)
        """,
        actor=actor.id,
        **awardable.bound,
    )
