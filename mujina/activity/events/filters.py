"""Feeds of contributions: what a caller may not see of is not in them, nor in their totals."""

from collections.abc import Mapping
from typing import LiteralString

from mujina.activity.events.kinds import chosen as kinds
from mujina.activity.events.params import ListEvents
from mujina.code.snippets.rules import READ_PROJECT_SNIPPET
from mujina.kernel.access import REPORTER
from mujina.kernel.actor import Actor
from mujina.kernel.db.selection import Selection
from mujina.kernel.rules import Rule, admin
from mujina.planning.issues.rules import READ_ISSUE, issues_enabled
from mujina.workspaces.members.access import reporter
from mujina.workspaces.projects.rules import READ_CODE, READ_PROJECT, READ_WIKI, ProjectRow

SOURCE: LiteralString = """events event JOIN projects p ON p.id = event.project_id
    JOIN users u ON u.id = event.author_id AND u.deleted_at IS NULL
    LEFT JOIN notes note ON note.id = CASE WHEN event.subject_kind = 'note' THEN event.subject_id END
    LEFT JOIN issues i ON i.id = CASE WHEN event.subject_kind = 'issue' THEN event.subject_id
        WHEN note.noteable_kind = 'issue' THEN note.noteable_id END
    LEFT JOIN commented_commits c ON note.noteable_kind = 'commit' AND c.id = note.noteable_id
    LEFT JOIN snippets s ON note.noteable_kind = 'snippet' AND s.id = note.noteable_id"""
"""Events with what they were about; those of people who are gone are told no more."""


def _readable(facts: Mapping[Rule, bool]) -> LiteralString:
    """What happened to an issue or on it is for those who may read it, the same with pushes, commits and the code."""
    return f"""event.kind IN :kinds AND p.deleted_at IS NULL AND CASE
        WHEN event.subject_kind = 'repository' OR c.id IS NOT NULL THEN {READ_CODE.given(facts).many}
        WHEN s.id IS NOT NULL THEN {READ_PROJECT_SNIPPET.given(facts).many}
        WHEN event.subject_kind IN ('issue', 'note') THEN i.id IS NOT NULL AND i.deleted_at IS NULL
            AND {READ_ISSUE.given(facts).many}
        WHEN event.subject_kind = 'wiki_page' THEN {READ_WIKI.given(facts).many}
        ELSE {READ_PROJECT.given(facts).many} END"""


def of_person(actor: Actor, user_id: int, query: ListEvents) -> Selection:
    """What this person contributed, as far as the actor may see it."""
    feed = _feed(actor, query, {admin: actor.admin})
    feed.only("event.author_id = :author_id", author_id=user_id)
    return feed


def of_project(actor: Actor, project: ProjectRow, query: ListEvents) -> Selection:
    """What was contributed to this project, as far as the actor may see it; what is known of it is folded out."""
    facts: dict[Rule, bool] = {
        READ_PROJECT: True,
        issues_enabled: project.issues_enabled,
        reporter: project.level >= REPORTER,
        admin: actor.admin,
    }
    feed = _feed(actor, query, facts)
    feed.only("event.project_id = :project_id", project_id=project.id)
    return feed


def _feed(actor: Actor, query: ListEvents, facts: Mapping[Rule, bool]) -> Selection:
    wanted = kinds(query.action or None, query.target_type or None)
    feed = Selection(SOURCE, _readable(facts), kinds=wanted, **actor.bound)
    if query.before:
        feed.only("event.created_at < :before", before=query.before)
    if query.after:
        # The day itself is over only after its last moment.
        feed.only("event.created_at > :after", after=f"{query.after}T24")
    return feed


def order(query: ListEvents) -> LiteralString:
    return "event.id ASC" if query.sort == "asc" else "event.id DESC"
