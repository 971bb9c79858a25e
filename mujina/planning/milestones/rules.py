"""The milestones of a project or group, and the only way to find one."""

from typing import LiteralString

from mujina.kernel import errors
from mujina.kernel.db.rows import Row
from mujina.kernel.db.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.owners import Owner

OWN: LiteralString = "(ms.project_id = :project_id OR ms.group_id = :group_id)"
"""Milestones of the owner itself, without those of groups above or below."""


class MilestoneRow(Row, alias="ms"):
    """The columns that operations on a milestone need."""

    id: int
    title: str
    description: str | None
    state: str
    start_on: str | None
    due_on: str | None
    updated_at: str


def milestones_of(owner: Owner) -> Selection:
    return Selection("milestones ms", OWN, **owner.bound)


async def find_milestone(tx: Tx, owner: Owner, milestone_id: int, *, lock: bool = False) -> MilestoneRow:
    """The milestone, if it belongs to this owner.

    `lock`: no other transaction changes it until this one ends; issues may still be added to it.
    """
    locking: LiteralString = "FOR NO KEY UPDATE" if lock else ""
    milestone = await tx.row(
        MilestoneRow,
        f"SELECT {MilestoneRow.columns} FROM milestones ms WHERE ms.id = :id AND {OWN} {locking}",
        id=milestone_id,
        **owner.bound,
    )
    if milestone is None:
        raise errors.not_found("Milestone")
    return milestone
