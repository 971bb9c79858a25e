"""Linking issues to each other."""

from mujina.kernel import clock, errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import record
from mujina.kernel.permissions.actor import Actor
from mujina.planning.issue_links.params import LinkType
from mujina.planning.issue_links.rules import IssueLinkRow
from mujina.planning.issues.rules import IssueRow


async def create(tx: Tx, actor: Actor, source: IssueRow, target: IssueRow, link_type: LinkType) -> IssueLinkRow:
    """Link the two issues; 409 if they are linked, in either direction. An issue that blocks another is the source."""
    if link_type == "is_blocked_by":
        return await create(tx, actor, target, source, "blocks")
    if source.id == target.id:
        raise errors.invalid({"source": ["cannot be related to itself"]})
    # Both are locked, so that concurrent links from A to B and from B to A become one.
    await tx.values(
        "SELECT i.id FROM issues i WHERE i.id IN :ids ORDER BY i.id FOR UPDATE", ids=sorted([source.id, target.id])
    )
    now = clock.now()
    link_id: int | None = await tx.value(
        """
        INSERT INTO issue_links (source_id, target_id, link_type, created_at)
        SELECT CAST(:source AS bigint), CAST(:target AS bigint), CAST(:link_type AS text), CAST(:now AS text) WHERE NOT EXISTS
            (SELECT 1 FROM issue_links link WHERE link.source_id = :target AND link.target_id = :source)
        ON CONFLICT (source_id, target_id) DO NOTHING
        RETURNING id
        """,
        source=source.id, target=target.id, link_type=link_type, now=now,
    )  # fmt: skip
    if link_id is None:
        raise errors.conflict("Issue(s) already assigned")
    link = IssueLinkRow(link_id, source.id, target.id, link_type, now)
    await _record(tx, "issue_link.created", actor, source, link)
    return link


async def remove(tx: Tx, actor: Actor, issue: IssueRow, link: IssueLinkRow) -> None:
    if await tx.run("DELETE FROM issue_links WHERE id = :id", id=link.id):
        await _record(tx, "issue_link.deleted", actor, issue, link)


async def _record(tx: Tx, kind: str, actor: Actor, issue: IssueRow, link: IssueLinkRow) -> None:
    await record(
        tx, kind, actor, subject_id=link.id, project_id=issue.project_id, confidential=issue.confidential,
        changes={"source_id": link.source_id, "target_id": link.target_id, "link_type": link.link_type},
    )  # fmt: skip
