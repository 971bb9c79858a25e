"""The milestones of a project or group, and the only way to get one."""

from typing import LiteralString

import msgspec

from mujina.kernel import errors
from mujina.kernel.db.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.owners import Owner

OWN: LiteralString = "(ms.project_id = :project_id OR ms.group_id = :group_id)"
"""Of the holder alone; a milestone of a group is listed with the group."""


class MilestoneRow(msgspec.Struct, array_like=True, frozen=True):
    """What operations need to know of a milestone they act on."""

    id: int
    title: str
    description: str | None
    state: str
    start_on: str | None
    due_on: str | None
    updated_at: str


def milestones_of(holder: Owner) -> Selection:
    return Selection("milestones ms", OWN, **holder.bound)


async def find_milestone(tx: Tx, holder: Owner, milestone_id: int, *, held: bool = False) -> MilestoneRow:
    """The holder's milestone of this id; one of another holder is missing, like one that never was.

    `held`: it stays as it is until the transaction ends; issues may be put into it all the while.
    """
    hold: LiteralString = "FOR NO KEY UPDATE" if held else ""
    milestone = await tx.row(
        MilestoneRow,
        f"""SELECT ms.id, ms.title, ms.description, ms.state, ms.start_on, ms.due_on, ms.updated_at
            FROM milestones ms WHERE ms.id = :id AND {OWN} {hold}""",
        id=milestone_id,
        **holder.bound,
    )
    if milestone is None:
        raise errors.not_found("Milestone")
    return milestone
