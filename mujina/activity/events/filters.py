"""Feeds of contributions: contributions that the caller may not see are left out, also of the totals."""

from functools import cache
from typing import LiteralString

import msgspec

from mujina.activity.events import totals
from mujina.activity.events.kinds import chosen as kinds
from mujina.activity.events.params import ListEvents
from mujina.activity.events.totals import FeedCounts, KnownFacts
from mujina.code.snippets.rules import READ_PROJECT_SNIPPET
from mujina.kernel.db.sql.selection import Order, Selection, Sql, descending
from mujina.kernel.lists.filters import Filters, apply_filters, compared
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.permissions.rules import Facts, Rule, known_of
from mujina.planning.issues.rules import READ_ISSUE, issues_enabled
from mujina.review.merge_requests.rules import READ_MERGE_REQUEST
from mujina.workspaces.members.access import guest, reporter
from mujina.workspaces.projects.rules import READ_CODE, READ_PROJECT, READ_WIKI, ProjectRow

SOURCE: LiteralString = """events event JOIN projects p ON p.id = event.project_id
    JOIN users u ON u.id = event.author_id AND u.deleted_at IS NULL
    LEFT JOIN notes note ON note.id = CASE WHEN event.subject_kind = 'note' THEN event.subject_id END
    LEFT JOIN issues i ON i.id = CASE WHEN event.subject_kind = 'issue' THEN event.subject_id
        WHEN note.noteable_kind = 'issue' THEN note.noteable_id END
    LEFT JOIN merge_requests mr ON mr.id = CASE WHEN event.subject_kind = 'merge_request' THEN event.subject_id
        WHEN note.noteable_kind = 'merge_request' THEN note.noteable_id END
    LEFT JOIN commented_commits c ON note.noteable_kind = 'commit' AND c.id = note.noteable_id
    LEFT JOIN snippets s ON note.noteable_kind = 'snippet' AND s.id = note.noteable_id"""
"""Events with their subjects; events of removed users are left out."""


class Feed(msgspec.Struct, frozen=True):
    """Contributions that the actor may see."""

    events: Selection
    projects: LiteralString = ""
    """A statement for the ids of the projects to which they were made, if the feed is one of several."""


class CountedFeed(Feed, frozen=True, kw_only=True):
    """Contributions whose number is known from kept counts."""

    counts: FeedCounts


@cache
def _readable(facts: KnownFacts) -> LiteralString:
    """Whether the actor may read the subject of the event: an issue, a merge request, code, a snippet, a wiki or the project.

    Each of these rules implies that of the project, which is stated once: SQLite's driver keeps no statement of more than
    16 KB prepared.
    """
    readable = READ_PROJECT.assuming(dict(facts))
    known: Facts = {**dict(facts), READ_PROJECT: True}
    return f"""event.kind IN :kinds AND p.deleted_at IS NULL AND {readable.for_scan} AND CASE
        WHEN event.subject_kind = 'repository' OR c.id IS NOT NULL THEN {READ_CODE.assuming(known).for_scan}
        WHEN s.id IS NOT NULL THEN {READ_PROJECT_SNIPPET.assuming(known).for_scan}
        WHEN event.subject_kind = 'merge_request' OR mr.id IS NOT NULL
            THEN mr.id IS NOT NULL AND {READ_MERGE_REQUEST.assuming(known).for_scan}
        WHEN event.subject_kind IN ('issue', 'note') THEN i.id IS NOT NULL AND i.deleted_at IS NULL
            AND {READ_ISSUE.assuming(known).for_scan}
        WHEN event.subject_kind = 'wiki_page' THEN {READ_WIKI.assuming(known).for_scan}
        ELSE TRUE END"""


def of_user(actor: Actor, user_id: int, query: ListEvents) -> CountedFeed:
    """The contributions of the user that the actor may see."""
    facts = _known(actor)
    events = _events(actor, query, facts).where("event.author_id = :author_id", author_id=user_id)
    involved = not (actor.admin or actor.anonymous)
    return CountedFeed(events, counts=totals.of_author(facts, _days(query), involved=involved))


def of_project(actor: Actor, project: ProjectRow, query: ListEvents) -> CountedFeed:
    """The contributions to the project that the actor may see; known facts simplify the rules."""
    facts = _known(actor, (READ_PROJECT, True), (issues_enabled, project.issues_enabled), (reporter, project.triager))
    events = _events(actor, query, facts).where("event.project_id = :project_id", project_id=project.id)
    involved = not (project.triager or actor.anonymous)
    return CountedFeed(events, counts=totals.of_project(facts, _days(query), involved=involved))


def of_group(actor: Actor, group_id: int, query: ListEvents) -> Feed:
    """The contributions to the projects of the group and of its subgroups that the actor may see."""
    below: LiteralString = """SELECT q.id FROM group_tree t JOIN projects q ON q.namespace_id = t.group_id
        WHERE t.ancestor_id = :group_id"""
    return Feed(_events(actor, query, _known(actor)).bind(group_id=group_id), projects=below)


def of_memberships(actor: Actor, query: ListEvents) -> Feed:
    """The contributions to the projects of which the actor is a member, by others too."""
    events = _events(actor, query, _known(actor, (READ_PROJECT, True)))
    return Feed(events, projects=f"SELECT p.id FROM projects p WHERE {guest.for_scan}")


def _known(actor: Actor, *facts: tuple[Rule, bool]) -> KnownFacts:
    known = [(rule, known) for rule, known in known_of(actor.kind).items() if isinstance(known, bool)]
    return frozenset([*known, *facts])


def _events(actor: Actor, query: ListEvents, facts: KnownFacts) -> Selection:
    named = kinds(query.action or None, query.target_type or None)
    return apply_filters(Selection(SOURCE, _readable(facts), kinds=named, **actor.bound), query, _FILTERS)


_FILTERS: Filters = {
    "before": compared("event.created_at", "<"),
    # `after` excludes the whole day: no time of it sorts behind T24.
    "after": lambda _, day: Sql("event.created_at > :after", after=f"{day}T24"),
}


def _days(query: ListEvents) -> LiteralString:
    """Which kept counts `c` are those of the days that the query asks for."""
    return f"{'c.day < :before' if query.before else 'TRUE'} AND {'c.day > :after' if query.after else 'TRUE'}"


NEWEST_FIRST = descending("event.created_at", "event.id")


def order(query: ListEvents) -> Order:
    return NEWEST_FIRST.reversed if query.sort == "asc" else NEWEST_FIRST
