"""Who is a member here: directly, or of anything above."""

from typing import LiteralString

from mujina.kernel import clock
from mujina.kernel.db.selection import Selection
from mujina.workspaces.members.params import ListMembers
from mujina.workspaces.members.rules import Source
from mujina.workspaces.members.team import GROUP_TEAM, TEAM


def direct_members(source: Source, query: ListMembers) -> Selection:
    """The unexpired rows of this group or project itself."""
    chosen = Selection(
        "members m JOIN users u ON u.id = m.user_id",
        """m.source_kind = :source_kind AND m.source_id = :source_id AND m.expires_on > :today
           AND u.deleted_at IS NULL""",
        today=clock.today(),
        **source.bound,
    )
    return _asked(chosen, query)


def all_members(source: Source, query: ListMembers) -> Selection:
    """Everybody with access, however they came by it, once, at the highest level they have."""
    chosen = Selection(
        # CROSS: the few members first, then each person; never the other way round.
        f"({_HIGHEST[source.kind]}) m CROSS JOIN users u",
        "u.id = m.user_id AND m.rank = 1 AND u.deleted_at IS NULL",
        today=clock.today(),
        **{f"{source.kind}_id": source.id},
    )
    return _asked(chosen, query)


def _highest(team: LiteralString) -> LiteralString:
    return f"""SELECT team.user_id, team.level, team.expires_on, row_number() OVER (
        PARTITION BY team.user_id ORDER BY team.level DESC, team.expires_on DESC) AS rank FROM ({team}) team"""


_HIGHEST: dict[str, LiteralString] = {"group": _highest(GROUP_TEAM), "project": _highest(TEAM)}


def requesters(source: Source) -> Selection:
    """The people who ask for access here."""
    return Selection(
        "access_requests a JOIN users u ON u.id = a.user_id",
        "a.source_kind = :source_kind AND a.source_id = :source_id AND u.deleted_at IS NULL",
        **source.bound,
    )


def _asked(chosen: Selection, query: ListMembers) -> Selection:
    if query.query:
        chosen.matching(query.query, "u.name_folded", "u.username_folded", equals="u.email_folded")
    return chosen
