"""The merge requests that close or mention an issue."""

from typing import LiteralString

from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.permissions.actor import Actor
from mujina.planning.issues.related_requests import RelatedRequest
from mujina.planning.issues.rules import IssueRow
from mujina.planning.issues.views.issue import Issue
from mujina.review.merge_requests.rules import READ_MERGE_REQUEST

_CLOSES_OR_MENTIONS: LiteralString = """mr.id IN (
    SELECT closing.merge_request_id FROM merge_request_closing_issues closing
    WHERE closing.project_id = :issue_project_id AND closing.iid = :issue_iid
    UNION
    SELECT note.source_id FROM notes note WHERE note.noteable_kind = 'issue' AND note.noteable_id = :issue_id
    AND note.source_kind = 'merge_request')"""

COUNT_RELATED: LiteralString = f"""
    SELECT found.issue_id, count(*) AS n FROM (
        SELECT i.id AS issue_id, closing.merge_request_id FROM issues i
        JOIN merge_request_closing_issues closing ON closing.project_id = i.project_id AND closing.iid = i.iid
        WHERE i.id IN :ids
        UNION
        SELECT note.noteable_id, note.source_id FROM notes note WHERE note.noteable_kind = 'issue'
        AND note.noteable_id IN :ids AND note.source_kind = 'merge_request') found
    JOIN merge_requests mr ON mr.id = found.merge_request_id JOIN projects p ON p.id = mr.project_id
    WHERE p.deleted_at IS NULL AND {READ_MERGE_REQUEST.for_scan} GROUP BY found.issue_id"""
"""How many of them each of the issues `:ids` has; issues without any are left out."""


def related(actor: Actor, issue: Issue | IssueRow) -> Selection:
    """The requests that close or mention the issue and that the actor may read."""
    return Selection(
        "merge_requests mr JOIN projects p ON p.id = mr.project_id",
        f"{_CLOSES_OR_MENTIONS} AND p.deleted_at IS NULL AND {READ_MERGE_REQUEST.for_scan}",
        issue_project_id=issue.project_id,
        issue_iid=issue.iid,
        issue_id=issue.id,
        **actor.bound,
    )


async def read_related(tx: Tx, actor: Actor, issue: Issue) -> list[RelatedRequest]:
    """The requests that close or mention the issue and that the actor may read, the newest first."""
    found = related(actor, issue)
    return await tx.rows(
        RelatedRequest,
        f"""SELECT (SELECT r.path FROM routes r WHERE r.project_id = p.id), mr.iid, mr.title, mr.state {found.text}
            ORDER BY mr.id DESC LIMIT 20""",
        **found.bound,
    )
