"""Participants: the author, assignees, and users who commented, were mentioned or gave an emoji.

These are SQL fragments about the row that `kind` and `id` name.
"""

from typing import LiteralString

from mujina.kernel import clock
from mujina.kernel.db.transaction import Tx
from mujina.kernel.noteables import noteable_kind
from mujina.planning.notes.rules import READ_NOTE


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


def participant_ids(kind: LiteralString, id: LiteralString) -> LiteralString:
    """The ids of users who commented, were mentioned or gave an emoji; of notes, only those the actor may read count."""
    return f"""
        SELECT note.author_id FROM notes note
        WHERE note.noteable_kind = '{kind}' AND note.noteable_id = {id} AND {READ_NOTE.many}
        UNION ALL
        SELECT mention.user_id FROM mentions mention
        WHERE mention.subject_kind = '{kind}' AND mention.subject_id = {id}
        UNION ALL
        SELECT award.user_id FROM awards award WHERE award.subject_kind = '{kind}' AND award.subject_id = {id}"""


async def who_may_read(tx: Tx, name: str, id: int, user_ids: list[int]) -> list[int]:
    """The users among these who may read the row of this kind, by id."""
    kind = noteable_kind(name)
    if kind is None:
        return []
    return await tx.values(
        f"""
        SELECT u.id FROM users u CROSS JOIN {kind.rows}
        WHERE {kind.key} = :id AND u.id IN :user_ids AND u.deleted_at IS NULL AND {kind.readable.of("u")} ORDER BY u.id
        """,
        id=id,
        user_ids=user_ids,
        today=clock.today(),
    )
