"""Which links a user may see, and the only way to find one."""

from typing import LiteralString

from mujina.kernel.db.rows import Row, find_row
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.permissions.actor import Actor
from mujina.planning.issues.rules import READ_ISSUE, IssueRow

_OTHER_ISSUE: LiteralString = """issue_links link
    JOIN issues i ON i.id = CASE WHEN link.source_id = :issue_id THEN link.target_id ELSE link.source_id END
    JOIN projects p ON p.id = i.project_id"""


class IssueLinkRow(Row, alias="link"):
    id: int
    source_id: int
    target_id: int
    link_type: str
    created_at: str


def related(actor: Actor, issue_id: int) -> Selection:
    """The links of this issue to issues that the actor may read."""
    return Selection(
        _OTHER_ISSUE,
        f"""(link.source_id = :issue_id OR link.target_id = :issue_id)
            AND i.deleted_at IS NULL AND p.deleted_at IS NULL AND {READ_ISSUE.for_scan}""",
        issue_id=issue_id,
        **actor.bound,
    )


async def find_link(tx: Tx, actor: Actor, issue: IssueRow, link_id: int) -> IssueLinkRow:
    """The link, if it belongs to this issue and the actor may read the other one."""
    selection = related(actor, issue.id).where("link.id = :link_id", link_id=link_id)
    return await find_row(tx, IssueLinkRow, selection, "Issue Link")
