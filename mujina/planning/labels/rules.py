"""The labels that can be used somewhere, and the only way to get one."""

from typing import LiteralString

import msgspec

from mujina.kernel import errors
from mujina.kernel.db.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.owners import Owner
from mujina.kernel.params import Ref

USABLE: LiteralString = """(l.project_id = :project_id OR l.group_id IN
    (SELECT t.ancestor_id FROM group_tree t WHERE t.group_id = :namespace_id))"""
"""A project's own labels and those of every group above; a group's own and those above."""


class LabelRow(msgspec.Struct, array_like=True, frozen=True):
    """What operations need to know of a label they act on."""

    id: int
    project_id: int | None
    group_id: int | None
    title: str
    color: str
    description: str | None
    updated_at: str


def usable(holder: Owner) -> Selection:
    """Every label that can be used there."""
    return Selection("labels l", USABLE, **holder.bound)


async def find_label(tx: Tx, holder: Owner, *, ref: str = "", title: str = "") -> LabelRow:
    """The label of that title, or by `ref`, its id or its title; the holder's own before those from above."""
    label = await tx.row(
        LabelRow,
        f"""
        SELECT l.id, l.project_id, l.group_id, l.title, l.color, l.description, l.updated_at FROM labels l
        WHERE {USABLE} AND (l.id = :id OR l.title = :title)
        ORDER BY CASE WHEN l.id = :id THEN 0 ELSE 1 END,
                 CASE WHEN l.project_id = :project_id OR l.group_id = :group_id THEN 0 ELSE 1 END, l.id
        LIMIT 1
        """,
        id=Ref(ref).id or 0,
        title=title or ref,
        **holder.bound,
    )
    if label is None:
        raise errors.not_found("Label")
    return label


def owned(label: LabelRow, holder: Owner) -> bool:
    """Whether it is the holder's own, not one from a group above."""
    return (label.project_id, label.group_id) == (holder.project_id, holder.group_id)
