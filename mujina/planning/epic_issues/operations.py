"""Putting issues into epics and ordering them there. The epic must be locked: its order has one writer at a time."""

from typing import LiteralString

from mujina.kernel import errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import record
from mujina.kernel.permissions.actor import Actor
from mujina.planning.epic_issues.rules import ChosenIssue, EpicIssueRow
from mujina.planning.epics.rules import EpicRow

GAP = 1_000
"""The distance between neighbors, so that most issues can be placed between two others without moving any."""


async def add(tx: Tx, actor: Actor, epic: EpicRow, issue: ChosenIssue) -> int:
    """Place the issue first in the epic; an issue of another epic leaves that one. The id of the link."""
    before: int | None = await tx.value(
        "SELECT ei.epic_id FROM epic_issues ei WHERE ei.issue_id = :issue_id FOR UPDATE", issue_id=issue.id
    )
    link_id: int = await tx.value(
        """
        INSERT INTO epic_issues (epic_id, issue_id, project_id, relative_position)
        VALUES (:epic_id, :issue_id, :project_id,
            (SELECT coalesce(min(ei.relative_position), 0) FROM epic_issues ei WHERE ei.epic_id = :epic_id) - :gap)
        ON CONFLICT (issue_id) DO UPDATE
        SET epic_id = excluded.epic_id, relative_position = excluded.relative_position
        RETURNING id
        """,
        epic_id=epic.id, issue_id=issue.id, project_id=issue.project_id, gap=GAP,
    )  # fmt: skip
    if before != epic.id:
        await _record(tx, "added", actor, epic, issue.id, issue.confidential, (before, epic.id))
    return link_id


async def move(
    tx: Tx, epic: EpicRow, link: EpicIssueRow, before: EpicIssueRow | None, after: EpicIssueRow | None
) -> None:
    """Place the link directly behind `before`, or else directly in front of `after`."""
    if before and after and before.position_key > after.position_key:
        raise errors.invalid({"error": "Issue could not be moved!"})
    neighbor = before or after
    if neighbor is None or neighbor.id == link.id:
        return
    position = await _free_position(tx, link, neighbor, behind=neighbor is before)
    if position is None:
        await tx.run(_SPREAD, epic_id=epic.id, gap=GAP)
        position = await _free_position(tx, link, neighbor, behind=neighbor is before)
    await tx.run("UPDATE epic_issues SET relative_position = :at WHERE id = :id", id=link.id, at=position)


async def remove(tx: Tx, actor: Actor, epic: EpicRow, link: EpicIssueRow) -> None:
    """Take the issue out of the epic."""
    await tx.run("DELETE FROM epic_issues WHERE id = :id", id=link.id)
    await _record(tx, "removed", actor, epic, link.issue_id, link.confidential, (epic.id, None))


_SPREAD: LiteralString = """
    UPDATE epic_issues SET relative_position = spread.position FROM (
        SELECT ei.id, row_number() OVER (ORDER BY ei.relative_position, ei.id) * :gap AS position
        FROM epic_issues ei WHERE ei.epic_id = :epic_id) spread
    WHERE spread.id = epic_issues.id"""

_NEXT: dict[bool, LiteralString] = {
    True: "(ei.relative_position, ei.id) > (o.relative_position, o.id) ORDER BY ei.relative_position, ei.id LIMIT 1",
    False: """(ei.relative_position, ei.id) < (o.relative_position, o.id)
        ORDER BY ei.relative_position DESC, ei.id DESC LIMIT 1""",
}
"""By whether the link goes behind its neighbor `o`: the link on the other side of the new place."""


async def _free_position(tx: Tx, link: EpicIssueRow, neighbor: EpicIssueRow, *, behind: bool) -> int | None:
    """A position next to the neighbor that no other link has; None if the one on the other side is too close."""
    [(near, far)] = await tx.rows(
        tuple[int, int | None],
        f"""SELECT o.relative_position, (SELECT ei.relative_position FROM epic_issues ei
                WHERE ei.epic_id = o.epic_id AND ei.id <> :link_id AND {_NEXT[behind]})
            FROM epic_issues o WHERE o.id = :neighbor_id""",
        link_id=link.id,
        neighbor_id=neighbor.id,
    )
    if far is None:
        return near + GAP if behind else near - GAP
    return (near + far) // 2 if abs(far - near) > 1 else None


async def _record(
    tx: Tx, verb: str, actor: Actor, epic: EpicRow, issue_id: int, confidential: bool,
    epic_ids: tuple[int | None, int | None],
) -> None:  # fmt: skip
    await record(
        tx, f"epic_issue.{verb}", actor, subject_id=issue_id, group_id=epic.group_id, confidential=confidential,
        changes={"epic_id": epic_ids},
    )  # fmt: skip
