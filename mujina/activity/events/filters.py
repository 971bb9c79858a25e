"""Feeds of contributions: contributions that the caller may not see are left out, also of the totals."""

from collections.abc import Mapping
from typing import LiteralString

from mujina.activity.events.kinds import chosen as kinds
from mujina.activity.events.params import ListEvents
from mujina.code.snippets.rules import READ_PROJECT_SNIPPET
from mujina.kernel.actor import Actor
from mujina.kernel.db.selection import Selection
from mujina.kernel.rules import Rule, admin
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


def _readable(facts: Mapping[Rule, bool]) -> LiteralString:
    """Whether the actor may read the subject of the event: the issue, the merge request, the code, the snippet, the wiki or the project."""
    return f"""event.kind IN :kinds AND p.deleted_at IS NULL AND CASE
        WHEN event.subject_kind = 'repository' OR c.id IS NOT NULL THEN {READ_CODE.given(facts).many}
        WHEN s.id IS NOT NULL THEN {READ_PROJECT_SNIPPET.given(facts).many}
        WHEN event.subject_kind = 'merge_request' OR mr.id IS NOT NULL
            THEN mr.id IS NOT NULL AND {READ_MERGE_REQUEST.given(facts).many}
        WHEN event.subject_kind IN ('issue', 'note') THEN i.id IS NOT NULL AND i.deleted_at IS NULL
            AND {READ_ISSUE.given(facts).many}
        WHEN event.subject_kind = 'wiki_page' THEN {READ_WIKI.given(facts).many}
        ELSE {READ_PROJECT.given(facts).many} END"""


def of_user(actor: Actor, user_id: int, query: ListEvents) -> Selection:
    """The contributions of the user that the actor may see."""
    feed = _feed(actor, query, {admin: actor.admin})
    feed.only("event.author_id = :author_id", author_id=user_id)
    return feed


def of_project(actor: Actor, project: ProjectRow, query: ListEvents) -> Selection:
    """The contributions to the project that the actor may see; known facts simplify the rules."""
    facts: dict[Rule, bool] = {
        READ_PROJECT: True,
        issues_enabled: project.issues_enabled,
        reporter: project.triager,
        admin: actor.admin,
    }
    feed = _feed(actor, query, facts)
    feed.only("event.project_id = :project_id", project_id=project.id)
    return feed


def of_group(actor: Actor, group_id: int, query: ListEvents) -> Selection:
    """The contributions to the projects of the group and of its subgroups that the actor may see."""
    feed = _feed(actor, query, {admin: actor.admin})
    feed.only(
        """event.project_id IN (SELECT q.id FROM group_tree t JOIN projects q ON q.namespace_id = t.group_id
            WHERE t.ancestor_id = :group_id)""",
        group_id=group_id,
    )
    return feed


def of_memberships(actor: Actor, query: ListEvents) -> Selection:
    """The contributions to the projects of which the actor is a member, by others too."""
    feed = _feed(actor, query, {READ_PROJECT: True, admin: actor.admin})
    # Found by the projects: a member of few of them would otherwise wait for a scan of all events.
    feed.only(f"event.project_id IN (SELECT p.id FROM projects p WHERE {guest.many})")
    return feed


def _feed(actor: Actor, query: ListEvents, facts: Mapping[Rule, bool]) -> Selection:
    feed = Selection(
        SOURCE, _readable(facts), kinds=kinds(query.action or None, query.target_type or None), **actor.bound
    )
    if query.before:
        feed.only("event.created_at < :before", before=query.before)
    if query.after:
        # `after` excludes the whole day: no time of it sorts behind T24.
        feed.only("event.created_at > :after", after=f"{query.after}T24")
    return feed


def order(query: ListEvents) -> LiteralString:
    return "event.id ASC" if query.sort == "asc" else "event.id DESC"
