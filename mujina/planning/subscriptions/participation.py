"""Taking part in something: whoever wrote, was assigned, commented, was mentioned or gave an emoji.

These are fragments of SQL over whatever row is at hand; `kind` and `id` say which.
"""

from typing import LiteralString

from mujina.planning.notes.rules import READ_NOTE


def subscribed(kind: LiteralString, id: LiteralString, involved: LiteralString) -> LiteralString:
    """Whether the actor hears of it: as they said, or else because they take part. `involved`: author or assignee."""
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


def taking_part(kind: LiteralString, id: LiteralString) -> LiteralString:
    """The ids of those who commented, were mentioned or gave an emoji, as far as the actor may know of it."""
    return f"""
        SELECT note.author_id FROM notes note
        WHERE note.noteable_kind = '{kind}' AND note.noteable_id = {id} AND {READ_NOTE.many}
        UNION ALL
        SELECT mention.user_id FROM mentions mention
        WHERE mention.subject_kind = '{kind}' AND mention.subject_id = {id}
        UNION ALL
        SELECT award.user_id FROM awards award WHERE award.subject_kind = '{kind}' AND award.subject_id = {id}"""
