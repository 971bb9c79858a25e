"""Lists of members, direct and inherited, and of requesters."""

from typing import LiteralString

from mujina.kernel import clock
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.lists.filters import Filters, apply_filters, compared
from mujina.workspaces.members.lists.all_members import (
    ALL_GROUP_MEMBERS,
    ALL_PROJECT_MEMBERS,
    NO_DEPLOY_BOT,
    group_grants,
    project_grants,
)
from mujina.workspaces.members.params import ListMembers
from mujina.workspaces.members.rules import Source


def direct_members(source: Source, query: ListMembers, *, by_address: bool) -> Selection:
    """The members of this group or project itself, without expired ones."""
    selection = Selection(
        "members m JOIN users u ON u.id = m.user_id",
        f"""m.source_kind = :source_kind AND m.source_id = :source_id AND m.expires_on > :today
            AND u.deleted_at IS NULL AND {NO_DEPLOY_BOT}""",
        today=clock.today(),
        **source.bound,
    )
    return _matching(selection, query, by_address=by_address)


def all_members(source: Source, query: ListMembers, *, by_address: bool = False) -> Selection:
    """All users with access, direct, inherited or shared, each once with their highest level."""
    return _matching(_first_of(source, _HIGHEST), query, by_address=by_address)


def grants(source: Source, query: ListMembers, *, by_address: bool = False) -> Selection:
    """The users with access and their grants: the user's own row here, and the highest of the others."""
    return _matching(_first_of(source, _GRANTS), query, by_address=by_address)


def _first_of(source: Source, ranked: dict[str, LiteralString]) -> Selection:
    """The rows of rank 1 with their users."""
    return Selection(
        # CROSS: the few members first, then each user; never the other way round.
        f"({ranked[source.kind]}) m CROSS JOIN users u",
        f"u.id = m.user_id AND m.rank = 1 AND u.deleted_at IS NULL AND {NO_DEPLOY_BOT}",
        today=clock.today(),
        **{f"{source.kind}_id": source.id},
    )


def _ranked(all_grants: LiteralString) -> LiteralString:
    return f"""SELECT grants.*, row_number() OVER (PARTITION BY grants.user_id, grants.source = 'direct'
        ORDER BY grants.level DESC, grants.expires_on DESC) AS rank FROM ({all_grants}) grants"""


_GRANTS: dict[str, LiteralString] = {"group": _ranked(ALL_GROUP_MEMBERS), "project": _ranked(ALL_PROJECT_MEMBERS)}


def some_members(source: Source, user_ids: list[int]) -> Selection:
    """The rows of `all_members` with these ids."""
    return _first_of(source, _HIGHEST_OF_SOME).where("m.user_id IN :user_ids", user_ids=user_ids)


def _highest(grants: LiteralString) -> LiteralString:
    return f"""SELECT grants.user_id, grants.level, grants.expires_on, grants.created_at, grants.created_by_id,
        row_number() OVER (PARTITION BY grants.user_id ORDER BY grants.level DESC, grants.expires_on DESC) AS rank
        FROM ({grants}) grants"""


_HIGHEST: dict[str, LiteralString] = {"group": _highest(ALL_GROUP_MEMBERS), "project": _highest(ALL_PROJECT_MEMBERS)}


_SOME: LiteralString = "m.user_id IN :user_ids"
_HIGHEST_OF_SOME: dict[str, LiteralString] = {
    "group": _highest(group_grants(_SOME)),
    "project": _highest(project_grants(direct=_SOME, of_groups=_SOME)),
}


def requesters(source: Source) -> Selection:
    """The users who request access here."""
    return Selection(
        "access_requests a JOIN users u ON u.id = a.user_id",
        "a.source_kind = :source_kind AND a.source_id = :source_id AND u.deleted_at IS NULL",
        **source.bound,
    )


def _matching(selection: Selection, query: ListMembers, *, by_address: bool) -> Selection:
    """The members whose name or id the query finds. Only those who choose members search the private addresses."""
    if query.query:
        address: LiteralString | None = "u.email_folded" if by_address else None
        selection = selection.matching(query.query, "u.name_folded", "u.username_folded", equals=address)
    return apply_filters(selection, query, _FILTERS)


_FILTERS: Filters = {"user_ids": compared("m.user_id", "IN"), "skip_users": compared("m.user_id", "NOT IN")}
