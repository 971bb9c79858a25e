"""Participants: the author, assignees, and users who commented, were mentioned or gave an emoji.

These are SQL fragments about the row that `kind` and `id` name.
"""

from functools import partial
from typing import LiteralString

from mujina.accounts.users.entities import RefRow, UserRef, refs
from mujina.kernel import clock
from mujina.kernel.db.rows import Row
from mujina.kernel.db.sql.selection import Order, Selection, ascending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import MAX_SIZE, Page, Paged
from mujina.kernel.lists.pages import load_by_ids
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.permissions.rules import Rule
from mujina.kernel.product import Product
from mujina.planning.noteables.kinds import Noteable, noteable_kind
from mujina.planning.notes.rules import count_sources
from mujina.workspaces.members.access import project_level


def subscribed(kind: LiteralString, id: LiteralString, involved: LiteralString) -> LiteralString:
    """Whether the actor is subscribed: by their choice, or else as a participant. `involved`: author or assignee."""
    return f"""coalesce(
        (SELECT s.subscribed FROM subscriptions s
         WHERE s.subject_kind = '{kind}' AND s.subject_id = {id} AND s.user_id = :actor),
        {involved}
        OR EXISTS (SELECT 1 FROM notes note WHERE note.noteable_kind = '{kind}' AND note.noteable_id = {id}
                   AND note.author_id = :actor)
        OR EXISTS (SELECT 1 FROM mentions mention WHERE mention.subject_kind = '{kind}' AND mention.subject_id = {id}
                   AND mention.user_id = :actor)
        OR EXISTS (SELECT 1 FROM awards award WHERE award.subject_kind = '{kind}' AND award.subject_id = {id}
                   AND award.user_id = :actor))"""


def participant_ids(involved: LiteralString, counted: LiteralString = "TRUE") -> LiteralString:
    """Select, as `user_id`, who takes part in the row that `:noteable_kind` and `:noteable_id` name.

    `involved` selects those who take part without a word, `counted` is the condition on the notes that count.
    """
    return f"""SELECT note.author_id AS user_id FROM notes note
        WHERE note.noteable_kind = :noteable_kind AND note.noteable_id = :noteable_id AND {counted}
        UNION ALL
        SELECT mention.user_id FROM mentions mention
        WHERE mention.subject_kind = :noteable_kind AND mention.subject_id = :noteable_id
        UNION ALL
        SELECT award.user_id FROM awards award
        WHERE award.subject_kind = :noteable_kind AND award.subject_id = :noteable_id
        UNION ALL
        {involved}"""


async def participants(tx: Tx, actor: Actor, noteable: Noteable) -> Selection:
    """The participants who may read it; authors of cross references that the actor may not see are left out."""
    return _participants(tx.product, actor, noteable, (await count_sources(tx, noteable)).readable)


def _participants(product: Product, actor: Actor, noteable: Noteable, readable: Rule) -> Selection:
    """`readable`: which notes the actor sees. The rows `u` have the level of each user in the project."""
    kind = noteable_kind(product, noteable.kind)
    assert kind is not None
    level: LiteralString = "0"
    if kind.project is not None:
        level = f"(SELECT {project_level('p', 'u.id')} FROM {kind.rows} WHERE {kind.key} = :noteable_id)"
    # The rule asks for the level several times: it is computed once.
    users: LiteralString = f"""(WITH u AS MATERIALIZED (
        SELECT {RefRow.columns}, u.admin, u.external, {level} AS level FROM users u WHERE u.deleted_at IS NULL AND u.id IN (
            {participant_ids(kind.involved, readable.for_scan)})) SELECT * FROM u) u"""
    return Selection(
        f"{kind.rows} CROSS JOIN {users}",
        f"{kind.key} = :noteable_id AND {kind.readable.of('u', leveled=True)}",
        **{f"{kind.name}_id": noteable.id},
        **noteable.bound,
        **actor.bound,
    )


def _author_first(author: LiteralString) -> Order:
    return ascending(f"CASE WHEN u.id = {author} THEN 0 ELSE 1 END", "u.id")


async def participating(tx: Tx, actor: Actor, noteable: Noteable, page: Page) -> Paged[UserRef]:
    """One page of participants, the author first."""
    kind, selection = noteable_kind(tx.product, noteable.kind), await participants(tx, actor, noteable)
    assert kind is not None
    return await load_by_ids(tx, "u.id", selection, _author_first(kind.author), page, partial(refs, tx))


class _ParticipantRow(Row, alias="u"):
    person: RefRow
    level: int


async def first_participants(
    tx: Tx, actor: Actor, noteable: Noteable, *, readable: Rule
) -> tuple[list[UserRef], dict[int, int]]:
    """The first participants, as a page shows them, and the level of each in the project; `readable`: which notes the
    actor sees.
    """
    kind, selection = noteable_kind(tx.product, noteable.kind), _participants(tx.product, actor, noteable, readable)
    assert kind is not None
    rows = await tx.rows(
        _ParticipantRow,
        f"SELECT {_ParticipantRow.columns} {selection.text} ORDER BY {_author_first(kind.author).text} LIMIT :limit",
        limit=MAX_SIZE,
        **selection.bound,
    )
    return [row.person.shown() for row in rows], {row.person.id: row.level for row in rows}


async def who_may_read(tx: Tx, name: str, id: int, user_ids: list[int]) -> list[int]:
    """The users among these who may read the row of this kind, by id; none if it is deleted."""
    kind = noteable_kind(tx.product, name)
    if kind is None:
        return []
    return await tx.values(
        f"""
        SELECT u.id FROM users u CROSS JOIN {kind.rows}
        WHERE {kind.key} = :id AND {kind.present} AND u.id IN :user_ids AND u.deleted_at IS NULL
        AND {kind.readable.of("u")} ORDER BY u.id
        """,
        id=id,
        user_ids=user_ids,
        today=clock.today(),
    )
