"""The milestones of issues and merge requests of a project that is transferred to another group."""

from typing import LiteralString

from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Event
from mujina.planning.milestones.rules import USABLE
from mujina.planning.work_items.kinds import WORK_ITEM_KINDS

_FORMER_MILESTONES: LiteralString = """
    SELECT ms.id FROM milestones ms WHERE ms.group_id IS NOT NULL AND ms.group_id NOT IN
        (SELECT t.ancestor_id FROM group_tree t WHERE t.group_id = :namespace_id)"""
"""Milestones of groups that the project is not in."""

_SAME_TITLE: LiteralString = (
    f"SELECT min(ms.id) FROM milestones ms JOIN milestones old ON old.title = ms.title WHERE {USABLE}"
)
"""The usable milestone that has the title of the milestone `old`."""


async def replace_milestones(tx: Tx, event: Event) -> None:
    """Replace milestones of former groups with the usable ones of the same titles, or with none."""
    for kind in tx.product.all(WORK_ITEM_KINDS):
        await tx.run(
            f"""
            UPDATE {kind.table} SET milestone_id = ({_SAME_TITLE} AND old.id = {kind.table}.milestone_id)
            WHERE project_id = :project_id AND milestone_id IN ({_FORMER_MILESTONES})
            """,
            project_id=event.project_id,
            namespace_id=event.changes["namespace_id"][1],
        )
