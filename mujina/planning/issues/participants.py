"""The participants of an issue."""

from typing import LiteralString

from mujina.kernel.actor import Actor
from mujina.kernel.db.selection import Selection
from mujina.planning.issues.rules import READ_ISSUE, IssueRow
from mujina.planning.subscriptions.participation import participant_ids, subscribed

SUBSCRIBED: LiteralString = subscribed(
    "issue",
    "i.id",
    "i.author_id = :actor OR EXISTS (SELECT 1 FROM issue_assignees mine WHERE mine.issue_id = i.id AND mine.user_id = :actor)",
)
"""Whether the actor is subscribed to the issue `i`."""


def participants(actor: Actor, issue: IssueRow) -> Selection:
    """The participants who may read the issue; authors of cross references that the actor may not see are left out."""
    return Selection(
        "issues i JOIN projects p ON p.id = i.project_id CROSS JOIN users u",
        f"""i.id = :issue_id AND u.deleted_at IS NULL AND {READ_ISSUE.of("u")} AND u.id IN (
            SELECT CAST(:author_id AS bigint)
            UNION ALL
            SELECT theirs.user_id FROM issue_assignees theirs WHERE theirs.issue_id = :issue_id
            UNION ALL {participant_ids("issue", ":issue_id")})""",
        issue_id=issue.id,
        author_id=issue.author_id,
        **actor.bound,
    )
