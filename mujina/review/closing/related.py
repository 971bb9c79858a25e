"""The merge requests that the page of an issue shows."""

from typing import LiteralString

from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx
from mujina.planning.issues.entities import Issue
from mujina.planning.issues.related_requests import RelatedRequest
from mujina.review.merge_requests.rules import READ_MERGE_REQUEST

_RELATED: LiteralString = f"""
    SELECT r.path, mr.iid, mr.title, mr.state FROM merge_requests mr
    JOIN projects p ON p.id = mr.project_id JOIN routes r ON r.project_id = p.id
    WHERE mr.id IN (
        SELECT closing.merge_request_id FROM merge_request_closing_issues closing
        WHERE closing.project_id = :project_id AND closing.iid = :issue_iid
        UNION
        SELECT note.source_id FROM notes note WHERE note.noteable_kind = 'issue' AND note.noteable_id = :issue_id
        AND note.source_kind = 'merge_request')
    AND p.deleted_at IS NULL AND {READ_MERGE_REQUEST.many}
    ORDER BY mr.id DESC LIMIT 20"""


async def read_related(tx: Tx, actor: Actor, issue: Issue) -> list[RelatedRequest]:
    """Those that close or mention the issue and that the actor may read, the newest first."""
    return await tx.rows(
        RelatedRequest,
        _RELATED,
        project_id=issue.project_id,
        issue_iid=issue.iid,
        issue_id=issue.id,
        **actor.bound,
    )
