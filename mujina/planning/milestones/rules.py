"""The milestones of a project or group, and the only way to find one."""

from typing import Annotated, Final, LiteralString

from mujina.kernel.db.rows import Row, find_row
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.permissions.rules import Rule
from mujina.workspaces.groups.rules import ADMIN_GROUP_MILESTONE
from mujina.workspaces.owners.rules import Owner, OwnerRule, inherited
from mujina.workspaces.projects.rules import ADMIN_MILESTONE

ADMIN_MILESTONES: Final[OwnerRule] = {"project": ADMIN_MILESTONE, "group": ADMIN_GROUP_MILESTONE}

USABLE: LiteralString = inherited("ms")
"""The milestones of the project or group itself and of every group above."""


class MilestoneRow(Row, alias="ms"):
    """The columns that operations on a milestone need."""

    id: int
    iid: int
    title: str
    description: str | None
    state: str
    start_date: Annotated[str | None, "ms.start_on"]
    due_date: Annotated[str | None, "ms.due_on"]
    updated_at: str
    closed_at: str | None


def milestones_of(owner: Owner) -> Selection:
    """Milestones of the owner itself, without those of groups above or below."""
    return Selection("milestones ms", "(ms.project_id = :project_id OR ms.group_id = :group_id)", **owner.bound)


def milestones_within(actor: Actor, project: Rule, group: Rule) -> Selection:
    """Milestones of the projects and groups for which these rules hold."""
    return Selection(
        "milestones ms",
        f"""(ms.project_id IN (SELECT p.id FROM projects p WHERE p.deleted_at IS NULL AND {project.for_scan})
             OR ms.group_id IN (SELECT g.id FROM groups g JOIN namespaces n ON n.id = g.id
                                WHERE n.deleted_at IS NULL AND {group.for_scan}))""",
        **actor.bound,
    )


async def find_milestone(tx: Tx, owner: Owner, milestone_id: int, *, lock: bool = False) -> MilestoneRow:
    """The milestone, if it belongs to this owner.

    `lock`: no other transaction changes it until this one ends; issues may still be added to it.
    """
    return await _find(tx, milestones_of(owner).where("ms.id = :id", id=milestone_id), lock=lock)


async def find_milestone_at(tx: Tx, owner: Owner, iid: int, *, lock: bool = False) -> MilestoneRow:
    """The milestone of this number of the owner, as addresses of pages name it."""
    return await _find(tx, milestones_of(owner).where("ms.iid = :iid", iid=iid), lock=lock)


async def _find(tx: Tx, selection: Selection, *, lock: bool) -> MilestoneRow:
    return await find_row(tx, MilestoneRow, selection, "Milestone", lock="FOR NO KEY UPDATE" if lock else "")
