"""Which links one may see, and the only way to get one."""

from typing import LiteralString

import msgspec

from mujina.kernel import errors
from mujina.kernel.actor import Actor
from mujina.kernel.db.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.planning.issues.rules import READ_ISSUE, IssueRow

_OTHER: LiteralString = """issue_links link
    JOIN issues i ON i.id = CASE WHEN link.source_id = :issue_id THEN link.target_id ELSE link.source_id END
    JOIN projects p ON p.id = i.project_id"""


class LinkRow(msgspec.Struct, array_like=True, frozen=True):
    id: int
    source_id: int
    target_id: int


def related(actor: Actor, issue: IssueRow) -> Selection:
    """The links of this issue to others that the actor may read."""
    return Selection(
        _OTHER,
        f"""(link.source_id = :issue_id OR link.target_id = :issue_id)
            AND i.deleted_at IS NULL AND p.deleted_at IS NULL AND {READ_ISSUE.many}""",
        issue_id=issue.id,
        **actor.bound,
    )


async def find_link(tx: Tx, actor: Actor, issue: IssueRow, link_id: int) -> LinkRow:
    """The link, if it leads from or to this issue and the actor may read the other end."""
    chosen = related(actor, issue)
    chosen.only("link.id = :link_id", link_id=link_id)
    link = await tx.row(LinkRow, f"SELECT link.id, link.source_id, link.target_id {chosen.text}", **chosen.bound)
    if link is None:
        raise errors.not_found("Issue Link")
    return link
