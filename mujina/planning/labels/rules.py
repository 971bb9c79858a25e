"""Which labels are usable where, and the only way to find one."""

from typing import Final, LiteralString

from mujina.kernel import errors
from mujina.kernel.db.rows import Row
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.params import Ref
from mujina.workspaces.groups.rules import ADMIN_GROUP_LABEL
from mujina.workspaces.owners.rules import Owner, OwnerRule, inherited
from mujina.workspaces.projects.rules import ADMIN_LABEL

ADMIN_LABELS: Final[OwnerRule] = {"project": ADMIN_LABEL, "group": ADMIN_GROUP_LABEL}

USABLE: LiteralString = inherited("l")
"""The labels of the project or group itself and of every group above."""

NAMED: LiteralString = """
    SELECT own.title, own.id, own.group_id FROM labels own WHERE own.project_id = :project_id AND own.title IN :titles
    UNION ALL
    SELECT above.title, above.id, above.group_id FROM labels above WHERE above.title IN :titles
    AND above.group_id IN (SELECT t.ancestor_id FROM group_tree t WHERE t.group_id = :namespace_id)"""
"""Title, id and group of the usable labels with these titles: two look-ups, each along its index."""


class LabelRow(Row, alias="l"):
    """The columns that operations on a label need."""

    id: int
    project_id: int | None
    group_id: int | None
    title: str
    color: str
    description: str | None
    updated_at: str


def usable(owner: Owner) -> Selection:
    # Two look-ups: for one condition with OR, PostgreSQL reads all labels of the instance.
    return Selection(
        """(SELECT own.* FROM labels own WHERE own.project_id = :project_id
            UNION ALL
            SELECT above.* FROM labels above
            WHERE above.group_id IN (SELECT t.ancestor_id FROM group_tree t WHERE t.group_id = :namespace_id)) l""",
        "TRUE",
        **owner.bound,
    )


async def find_label(tx: Tx, owner: Owner, *, ref: str = "", title: str = "") -> LabelRow:
    """The label of this title, or of this `ref` (an id or a title); labels of the owner come before those from above."""
    label = await tx.row(
        LabelRow,
        f"""
        SELECT {LabelRow.columns} FROM labels l
        WHERE {USABLE} AND (l.id = :id OR l.title = :title)
        ORDER BY CASE WHEN l.id = :id THEN 0 ELSE 1 END,
                 CASE WHEN l.project_id = :project_id OR l.group_id = :group_id THEN 0 ELSE 1 END, l.id
        LIMIT 1
        """,
        id=Ref(ref).id or 0,
        title=title or ref,
        **owner.bound,
    )
    return errors.or_not_found(label, "Label")


def own_ids(owner: Owner) -> dict[str, int | None]:
    """The parameters of the condition that a label belongs to this owner and not to a group above."""
    return {"own_id": owner.project_id, "own_group_id": owner.group_id}


def owned(label: LabelRow, owner: Owner) -> bool:
    """Whether the label belongs to this owner and not to a group above."""
    return (label.project_id, label.group_id) == (owner.project_id, owner.group_id)
