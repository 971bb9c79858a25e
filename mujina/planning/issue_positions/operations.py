"""Placing issues in the order `relative_position` of their project."""

from mujina.kernel import errors
from mujina.kernel.db.rows import upsert
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import Actor
from mujina.planning.issue_positions.params import ReorderIssue
from mujina.planning.issues.rules import IssueRow, find_issue

_GAP = 1024
"""The distance of issues that are numbered anew: ten issues fit between two of them before that happens again."""


async def reorder(tx: Tx, actor: Actor, issue: IssueRow, change: ReorderIssue) -> None:
    """Place the issue right after the one that comes before it, or right before the other.

    404 if the actor does not see that issue in the same project.
    """
    neighbor = change.move_before_id or change.move_after_id or 0
    await _find(tx, actor, issue, neighbor)
    after = bool(change.move_before_id)
    position = await _between(tx, issue, neighbor, after=after)
    if position is None:
        await _number(tx, issue.project_id)
        position = await _between(tx, issue, neighbor, after=after)
    position = errors.or_not_found(position, "Issue")
    await upsert(tx, "issue_positions", "issue_id", issue_id=issue.id, position=position)


async def _find(tx: Tx, actor: Actor, issue: IssueRow, neighbor: int) -> None:
    iid: int | None = await tx.value(
        "SELECT i.iid FROM issues i WHERE i.id = :id AND i.project_id = :project_id AND i.id <> :other",
        id=neighbor,
        project_id=issue.project_id,
        other=issue.id,
    )
    await find_issue(tx, actor, Ref.of(issue.project_id), iid or 0)


async def _between(tx: Tx, issue: IssueRow, neighbor: int, *, after: bool) -> int | None:
    """A position between the neighbor and the next issue on that side; None if the neighbor has none, or nothing fits."""
    here: int | None = await tx.value(
        "SELECT placed.position FROM issue_positions placed WHERE placed.issue_id = :id", id=neighbor
    )
    if here is None:
        return None
    beyond: int | None = await tx.value(
        _NEXT if after else _PREVIOUS, position=here, id=issue.id, project_id=issue.project_id
    )
    if beyond is None:
        return here + _GAP if after else here - _GAP
    middle = (here + beyond) // 2
    return None if middle in (here, beyond) else middle


_NEXT = """SELECT min(placed.position) FROM issue_positions placed JOIN issues i ON i.id = placed.issue_id
    WHERE i.project_id = :project_id AND placed.position > :position AND i.id <> :id"""
_PREVIOUS = """SELECT max(placed.position) FROM issue_positions placed JOIN issues i ON i.id = placed.issue_id
    WHERE i.project_id = :project_id AND placed.position < :position AND i.id <> :id"""


async def _number(tx: Tx, project_id: int) -> None:
    """Give every issue of the project a position, in the order in which they are."""
    await tx.run(
        """INSERT INTO issue_positions (issue_id, position)
           SELECT i.id, row_number() OVER (ORDER BY placed.position IS NULL, placed.position, i.id) * :gap
           FROM issues i LEFT JOIN issue_positions placed ON placed.issue_id = i.id
           WHERE i.project_id = :project_id AND i.deleted_at IS NULL
           ON CONFLICT (issue_id) DO UPDATE SET position = excluded.position""",
        project_id=project_id,
        gap=_GAP,
    )
