"""Lists of members: one page and the total. Members are counted by triggers, because some groups have ten thousand."""

from typing import Annotated, LiteralString

from mujina.kernel import clock
from mujina.kernel.db.rows import Row
from mujina.kernel.db.sql.selection import Sql, ascending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.lists.pages import plan_page
from mujina.workspaces.members import entities, filters
from mujina.workspaces.members.entities import Member
from mujina.workspaces.members.lists.all_members import group_grants, project_grants
from mujina.workspaces.members.params import ListMembers
from mujina.workspaces.members.rules import Source

_HIDDEN: LiteralString = """(SELECT u.id FROM users u WHERE u.deleted_at IS NOT NULL
    UNION ALL SELECT d.user_id FROM deploy_tokens d)"""
"""Few: jobs remove what deleted users had, and deploy tokens are members only so that they have access."""


async def load_page(tx: Tx, source: Source, query: ListMembers, page: Page, *, by_address: bool) -> Paged[Member]:
    """The members of this group or project itself."""
    selection = filters.direct_members(source, query, by_address=by_address)
    if not query.filtered:
        selection = selection.counted(Sql(f"SELECT {_count(':source')}", today=clock.today(), **source.bound))
    return await entities.load_page(tx, selection, page)


def _count(source: LiteralString) -> LiteralString:
    """How many members a source has that are not expired, and whose users are not hidden."""
    return f"""(SELECT CAST(coalesce(sum(c.n), 0) AS bigint) FROM member_counts c
        WHERE c.source_kind = {source}_kind AND c.source_id = {source}_id AND c.expires_on > :today)
        - (SELECT count(*) FROM members m WHERE m.user_id IN {_HIDDEN}
        AND m.source_kind = {source}_kind AND m.source_id = {source}_id AND m.expires_on > :today)"""


class _SizedSource(Row, alias="source"):
    """A project or group whose members have access."""

    source_kind: str
    source_id: int
    n: Annotated[int, _count("source.source")]


async def load_page_with_inherited(
    tx: Tx, source: Source, query: ListMembers, page: Page, *, by_address: bool
) -> Paged[Member]:
    """All users with access, direct, inherited or shared, each once with their highest level.

    Most of them have it from one source. That one is walked along its index, and the others are compared with it.
    """
    selection = filters.all_members(source, query, by_address=by_address)
    if query.filtered:
        return await entities.load_page(tx, selection, page)
    bound = {"today": clock.today(), f"{source.kind}_id": source.id}
    sources = await tx.rows(
        _SizedSource, f"SELECT {_SizedSource.columns} FROM ({_SOURCES[source.kind]}) source", **bound
    )
    largest = max(sources, key=lambda each: each.n)
    bound |= {"largest_kind": largest.source_kind, "largest_id": largest.source_id}
    plan, grants = plan_page(ascending("found.user_id"), page), _OTHER_GRANTS[source.kind]
    found = await tx.rows(
        tuple[int, int | None],
        f"""SELECT others.n, page.user_id FROM ({_others(grants)}) others
            LEFT JOIN ({plan.text(tx.engine, _users(grants))}) page ON TRUE""",
        reach=page.end,
        **bound,
        **plan.bound,
    )
    ids = [user_id for _, user_id in found if user_id is not None]
    members = await entities.load_page(tx, filters.some_members(source, ids).uncounted, Page(1, page.size, {}))
    return page.of(members.items, largest.n + found[0][0])


_SOURCES: dict[str, LiteralString] = {
    "project": """SELECT 'project' AS source_kind, p.id AS source_id FROM projects p WHERE p.id = :project_id
        UNION ALL SELECT 'group', t.ancestor_id FROM projects p JOIN group_tree t ON t.group_id = p.namespace_id
        WHERE p.id = :project_id""",
    "group": """SELECT 'group' AS source_kind, t.ancestor_id AS source_id FROM group_tree t WHERE t.group_id = :group_id""",
}
_LARGEST: LiteralString = """m.source_kind = :largest_kind AND m.source_id = :largest_id AND m.expires_on > :today"""


# What is compared is known before members are read, so none of the largest source is.
_NOT_OWN: LiteralString = "NOT (CAST(:largest_kind AS text) = 'project' AND CAST(:largest_id AS bigint) = :project_id)"
_NOT_ABOVE: LiteralString = (
    "NOT (CAST(:largest_kind AS text) = 'group' AND CAST(:largest_id AS bigint) = t.ancestor_id)"
)
_OTHER_GRANTS: dict[str, LiteralString] = {
    "project": project_grants(direct=_NOT_OWN, of_groups=_NOT_ABOVE),
    "group": group_grants(_NOT_ABOVE),
}


def _users(grants: LiteralString) -> LiteralString:
    """The users of the list: a page needs no more of the largest source than the first ones, as many as it reaches."""
    return f"""SELECT found.user_id FROM (
        SELECT first.user_id FROM (
            SELECT m.user_id FROM members m WHERE {_LARGEST} AND m.user_id NOT IN {_HIDDEN}
            ORDER BY m.user_id LIMIT :reach) first
        UNION SELECT others.user_id FROM ({grants}) others WHERE others.user_id NOT IN {_HIDDEN}) found"""


def _others(grants: LiteralString) -> LiteralString:
    """How many users have access from other sources alone.

    A scalar subquery looks a user up by the key; PostgreSQL would turn EXISTS into a join over every member.
    """
    return f"""SELECT count(DISTINCT others.user_id) AS n FROM ({grants}) others
        WHERE others.user_id NOT IN {_HIDDEN}
        AND (SELECT 1 FROM members m WHERE {_LARGEST} AND m.user_id = others.user_id) IS NULL"""
