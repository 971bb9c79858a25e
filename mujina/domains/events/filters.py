"""Feeds of contributions: what a caller may not see of is not in them, nor in their totals."""

from typing import LiteralString

from mujina.domains.events.kinds import chosen as kinds
from mujina.domains.events.params import ListEvents
from mujina.domains.issues.rules import READ_ISSUE
from mujina.domains.projects.rules import READ_CODE, READ_PROJECT
from mujina.kernel.actor import Actor
from mujina.kernel.db.selection import Selection

SOURCE: LiteralString = """events event JOIN projects p ON p.id = event.project_id
    LEFT JOIN notes note ON event.subject_kind = 'note' AND note.id = event.subject_id
    LEFT JOIN issues i ON i.id = CASE WHEN event.subject_kind = 'issue' THEN event.subject_id
        WHEN note.noteable_kind = 'issue' THEN note.noteable_id END"""

AUTHOR: LiteralString = "CASE WHEN event.subject_kind = 'member' THEN event.subject_id ELSE event.actor_id END"
"""Who joined or left, whoever saw to it; otherwise who did it."""

_READABLE: LiteralString = f"""event.kind IN :kinds AND p.deleted_at IS NULL AND CASE
    WHEN event.subject_kind IN ('issue', 'note') THEN i.id IS NOT NULL AND i.deleted_at IS NULL AND {READ_ISSUE.many}
    WHEN event.subject_kind = 'repository' THEN {READ_CODE.many}
    ELSE {READ_PROJECT.many} END"""


def of_person(actor: Actor, user_id: int, query: ListEvents) -> Selection:
    """What this person contributed, as far as the actor may see it."""
    feed = _feed(actor, query)
    feed.only(
        """((event.actor_id = :author_id AND event.subject_kind <> 'member')
            OR (event.subject_kind = 'member' AND event.subject_id = :author_id))""",
        author_id=user_id,
    )
    return feed


def of_project(actor: Actor, project_id: int, query: ListEvents) -> Selection:
    """What was contributed to this project, as far as the actor may see it."""
    feed = _feed(actor, query)
    feed.only("event.project_id = :project_id", project_id=project_id)
    return feed


def _feed(actor: Actor, query: ListEvents) -> Selection:
    wanted = kinds(query.action or None, query.target_type or None)
    feed = Selection(SOURCE, _READABLE, kinds=wanted, **actor.bound)
    if query.before:
        feed.only("event.created_at < :before", before=query.before)
    if query.after:
        # The day itself is over only after its last moment.
        feed.only("event.created_at > :after", after=f"{query.after}T24")
    return feed


def order(query: ListEvents) -> LiteralString:
    return "event.id ASC" if query.sort == "asc" else "event.id DESC"
