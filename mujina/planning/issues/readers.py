"""An issue seen from its side: which people may read it."""

from typing import LiteralString

from mujina.kernel import clock
from mujina.kernel.db.transaction import Tx
from mujina.workspaces.members.team import TEAM

# READ_ISSUE for the person `u` instead of the actor; `i`, `p` and `:project_id` are given.
MAY_READ: LiteralString = f"""(u.deleted_at IS NULL AND p.issues_enabled AND (u.admin OR (
    (p.visibility = 'public' OR (p.visibility = 'internal' AND NOT u.external)
     OR u.id IN (SELECT team.user_id FROM ({TEAM}) team))
    AND (NOT i.confidential OR u.id = i.author_id
         OR EXISTS (SELECT 1 FROM issue_assignees theirs WHERE theirs.issue_id = i.id AND theirs.user_id = u.id)
         OR u.id IN (SELECT team.user_id FROM ({TEAM}) team WHERE team.level >= 20)))))"""


async def who_may_read(tx: Tx, project_id: int, issue_id: int, user_ids: list[int]) -> list[int]:
    """Those of these people who may read the issue, in order of id."""
    return await tx.values(
        f"""
        SELECT u.id FROM users u JOIN issues i ON i.id = :issue_id JOIN projects p ON p.id = i.project_id
        WHERE u.id IN :user_ids AND {MAY_READ} ORDER BY u.id
        """,
        project_id=project_id,
        issue_id=issue_id,
        user_ids=user_ids,
        today=clock.today(),
    )
