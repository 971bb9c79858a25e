"""What becomes of boards when their project moves to another group."""

from typing import LiteralString

from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Event
from mujina.planning.labels.rules import USABLE

_LISTS: LiteralString = """
    boards board JOIN board_lists list ON list.board_id = board.id JOIN labels old ON old.id = list.label_id"""

# A board has one list for a label: where a label usable here has one already, the other list of that title goes.
_TWINS: LiteralString = f"""
    SELECT twin.id FROM (
        SELECT list.id, l.id IS NULL AS foreign_label, row_number() OVER (
            PARTITION BY board.id, old.title ORDER BY CASE WHEN l.id IS NULL THEN 1 ELSE 0 END, list.id) AS place
        FROM {_LISTS} LEFT JOIN labels l ON l.id = old.id AND {USABLE} WHERE board.project_id = :project_id) twin
    WHERE twin.foreign_label AND twin.place > 1"""

# Two labels of one title may be usable; the older one is meant, as on issues.
_FOLLOWED: LiteralString = f"""
    SELECT list.id, min(l.id) AS label_id FROM {_LISTS} JOIN labels l ON l.title = old.title AND {USABLE}
    WHERE board.project_id = :project_id AND old.group_id IS NOT NULL AND old.group_id NOT IN
        (SELECT t.ancestor_id FROM group_tree t WHERE t.group_id = :namespace_id)
    GROUP BY list.id"""


async def replace_list_labels(tx: Tx, event: Event) -> None:
    """Lists of labels of a group left behind are lists of the labels that the project brought along."""
    bound = {"project_id": event.project_id, "namespace_id": event.changes["namespace_id"][1]}
    await tx.run(f"DELETE FROM board_lists WHERE id IN ({_TWINS})", **bound)
    await tx.run(
        f"""UPDATE board_lists SET label_id = followed.label_id FROM ({_FOLLOWED}) followed
            WHERE followed.id = board_lists.id""",
        **bound,
    )
