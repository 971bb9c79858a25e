"""The boards of a project or group that is transferred to another group."""

from typing import LiteralString

from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Event
from mujina.planning.labels.rules import USABLE

_LISTS: LiteralString = """
    boards board JOIN board_lists list ON list.board_id = board.id JOIN labels old ON old.id = list.label_id"""

# A board has one list per label: if a usable label of the title has a list, the other list of that title is deleted.
_DUPLICATES: LiteralString = f"""
    SELECT duplicate.id FROM (
        SELECT list.id, l.id IS NULL AS foreign_label, row_number() OVER (
            PARTITION BY board.id, old.title ORDER BY CASE WHEN l.id IS NULL THEN 1 ELSE 0 END, list.id) AS position
        FROM {_LISTS} LEFT JOIN labels l ON l.id = old.id AND {USABLE} WHERE board.project_id = :project_id) duplicate
    WHERE duplicate.foreign_label AND duplicate.position > 1"""

# Of two usable labels of one title the older one is meant, as on issues.
_REPLACED: LiteralString = f"""
    SELECT list.id, min(l.id) AS label_id FROM {_LISTS} JOIN labels l ON l.title = old.title AND {USABLE}
    WHERE board.project_id = :project_id AND old.group_id IS NOT NULL AND old.group_id NOT IN
        (SELECT t.ancestor_id FROM group_tree t WHERE t.group_id = :namespace_id)
    GROUP BY list.id"""


async def replace_list_labels(tx: Tx, event: Event) -> None:
    """Replace labels of former groups in lists with the usable labels of the same titles."""
    bound = {"project_id": event.project_id, "namespace_id": event.changes["namespace_id"][1]}
    await tx.run(f"DELETE FROM board_lists WHERE id IN ({_DUPLICATES})", **bound)
    await tx.run(
        f"""UPDATE board_lists SET label_id = replaced.label_id FROM ({_REPLACED}) replaced
            WHERE replaced.id = board_lists.id""",
        **bound,
    )


async def drop_foreign_lists(tx: Tx, event: Event) -> None:
    """Boards of a transferred group, and of the groups below it, lose the lists of labels that are no longer theirs."""
    await tx.run(
        """
        DELETE FROM board_lists WHERE id IN (
            SELECT list.id FROM group_tree t JOIN boards board ON board.group_id = t.group_id
            JOIN board_lists list ON list.board_id = board.id JOIN labels l ON l.id = list.label_id
            WHERE t.ancestor_id = :group_id AND l.group_id IS NOT NULL AND l.group_id NOT IN (
                SELECT above.ancestor_id FROM group_tree above WHERE above.group_id = board.group_id))
        """,
        group_id=event.subject_id,
    )


async def follow_promotion(tx: Tx, event: Event) -> None:
    """Lists of labels that were merged into a label of a group become lists of that label; a board has one of them."""
    former, promoted = event.changes["label_ids"]
    await tx.run(
        """UPDATE board_lists SET label_id = :promoted WHERE id IN (
            SELECT min(list.id) FROM board_lists list WHERE list.label_id IN :former AND NOT EXISTS (
                SELECT 1 FROM board_lists other WHERE other.board_id = list.board_id AND other.label_id = :promoted)
            GROUP BY list.board_id)""",
        former=former,
        promoted=promoted,
    )
