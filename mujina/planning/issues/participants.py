"""The participants of an issue."""

from typing import LiteralString

from mujina.kernel import clock
from mujina.kernel.actor import Actor
from mujina.kernel.db.selection import Selection
from mujina.kernel.db.transaction import Tx
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


async def who_may_read(tx: Tx, issue_id: int, user_ids: list[int]) -> list[int]:
    """The users among these who may read the issue, by id."""
    return await tx.values(
        f"""
        SELECT u.id FROM users u JOIN issues i ON i.id = :issue_id JOIN projects p ON p.id = i.project_id
        WHERE u.id IN :user_ids AND u.deleted_at IS NULL AND {READ_ISSUE.of("u")} ORDER BY u.id
        """,
        issue_id=issue_id,
        user_ids=user_ids,
        today=clock.today(),
    )
