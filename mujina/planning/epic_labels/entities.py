"""The labels of epics as pages show them."""

from collections.abc import Iterable
from typing import Annotated

from mujina.kernel.db.transaction import Tx
from mujina.planning.labels.entities import LabelChip


class EpicLabelView(LabelChip):
    epic_id: Annotated[int, "el.epic_id"]


async def labels_of(tx: Tx, epic_ids: Iterable[int]) -> dict[int, list[LabelChip]]:
    """The labels of each of these epics, by title; who may read an epic may see its labels."""
    rows = await tx.rows(
        EpicLabelView,
        f"""SELECT {EpicLabelView.columns} FROM epic_labels el JOIN labels l ON l.id = el.label_id
            WHERE el.epic_id IN :ids ORDER BY el.epic_id, l.title, l.id""",
        ids=sorted(epic_ids),
    )
    found: dict[int, list[LabelChip]] = {}
    for row in rows:
        found.setdefault(row.epic_id, []).append(row)
    return found
