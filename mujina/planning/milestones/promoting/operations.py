"""Milestones of projects that become milestones of their group."""

from typing import LiteralString

from mujina.kernel import clock, errors
from mujina.kernel.db.errors import unique
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import record
from mujina.kernel.permissions.actor import Actor
from mujina.planning.milestones.operations import TAKEN
from mujina.planning.milestones.rules import MilestoneRow
from mujina.planning.work_items.kinds import WORK_ITEM_KINDS
from mujina.workspaces.owners.rules import Owner

_BELOW: LiteralString = """
    SELECT ms.id FROM group_tree t JOIN projects p ON p.namespace_id = t.group_id
    JOIN milestones ms ON ms.project_id = p.id AND ms.title = :title
    WHERE t.ancestor_id = :group_id AND ms.id <> :id ORDER BY ms.id"""
_TITLED_BELOW: LiteralString = """
    SELECT 1 FROM group_tree t JOIN milestones ms ON ms.group_id = t.group_id AND ms.title = :title
    WHERE t.ancestor_id = :group_id"""


async def promote(tx: Tx, actor: Actor, milestone: MilestoneRow, group: Owner) -> None:
    """The milestone belongs to the group, under a number there; those of its title in the projects below are merged into it.

    400 if a group below has a milestone of this title.
    """
    bound = {"title": milestone.title, "group_id": group.id}
    if await tx.value(_TITLED_BELOW, **bound):
        raise errors.invalid({"title": [TAKEN]})
    former = await tx.values(_BELOW, id=milestone.id, **bound)
    with unique("title"):
        await tx.run(
            """UPDATE milestones SET project_id = NULL, group_id = :group_id, updated_at = :now,
               iid = next_iid('group', :group_id, 'milestone') WHERE id = :id""",
            group_id=group.id, id=milestone.id, now=clock.now(),
        )  # fmt: skip
    for kind in tx.product.all(WORK_ITEM_KINDS):
        await tx.run(
            f"UPDATE {kind.table} SET milestone_id = :id WHERE milestone_id IN :former", id=milestone.id, former=former
        )
    await record(  # before the deletion: what follows still sees the milestones
        tx, "milestone.promoted", actor, subject_id=milestone.id, group_id=group.id,
        changes={"title": (milestone.title, milestone.title), "milestone_ids": (former, milestone.id)},
    )  # fmt: skip
    await tx.run("DELETE FROM milestones WHERE id IN :ids", ids=former)
