"""Labels of projects that become labels of their group."""

from typing import LiteralString

from mujina.kernel import clock, errors
from mujina.kernel.db.rows import update
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import record
from mujina.kernel.permissions.actor import Actor
from mujina.planning.labels.rules import LabelRow, owned
from mujina.planning.work_items.kinds import WORK_ITEM_KINDS
from mujina.workspaces.owners.rules import Owner

_BELOW: LiteralString = """
    SELECT l.id FROM group_tree t JOIN projects p ON p.namespace_id = t.group_id
    JOIN labels l ON l.project_id = p.id AND l.title = :title
    WHERE t.ancestor_id = :group_id AND l.id <> :id ORDER BY l.id"""
"""The labels of this title in the projects of the group and of the groups below it."""


async def promote(tx: Tx, actor: Actor, project: Owner, label: LabelRow, group: Owner) -> int:
    """The label belongs to the group; labels of its title in the projects below are merged into it.

    If the group has a label of this title, they are all merged into that one. Returns the id of the label.
    """
    if not owned(label, project):
        raise errors.not_found("Label")
    existing = await tx.value(
        "SELECT l.id FROM labels l WHERE l.group_id = :group_id AND l.title = :title",
        group_id=group.id,
        title=label.title,
    )
    promoted = existing or label.id
    if existing is None:
        columns = {"project_id": None, "group_id": group.id, "updated_at": clock.now()}
        await update(tx, "labels", columns, id=label.id)
    former = await tx.values(_BELOW, title=label.title, group_id=group.id, id=promoted)
    await _merge(tx, promoted, former)
    await record(  # before the deletion: what follows still sees the labels
        tx, "label.promoted", actor, subject_id=promoted, group_id=group.id,
        changes={"title": (label.title, label.title), "label_ids": (former, promoted)},
    )  # fmt: skip
    await tx.run("DELETE FROM labels WHERE id IN :ids", ids=former)
    return promoted


async def _merge(tx: Tx, promoted: int, former: list[int]) -> None:
    """Whatever has one of the former labels has the promoted one as well."""
    for kind in tx.product.all(WORK_ITEM_KINDS):
        await tx.run(
            f"""INSERT INTO {kind.labels} ({kind.key}, label_id)
                SELECT DISTINCT used.{kind.key}, CAST(:promoted AS bigint) FROM {kind.labels} used
                WHERE used.label_id IN :former ON CONFLICT DO NOTHING""",
            promoted=promoted, former=former,
        )  # fmt: skip
    await tx.run(
        """INSERT INTO label_priorities (project_id, label_id, priority)
           SELECT lp.project_id, CAST(:promoted AS bigint), lp.priority FROM label_priorities lp
           WHERE lp.label_id IN :former ON CONFLICT DO NOTHING""",
        promoted=promoted, former=former,
    )  # fmt: skip
    await tx.run(
        """INSERT INTO label_subscriptions (label_id, user_id, subscribed)
           SELECT CAST(:promoted AS bigint), sub.user_id, max(CASE WHEN sub.subscribed THEN 1 ELSE 0 END) = 1
           FROM label_subscriptions sub WHERE sub.label_id IN :former GROUP BY sub.user_id ON CONFLICT DO NOTHING""",
        promoted=promoted, former=former,
    )  # fmt: skip
