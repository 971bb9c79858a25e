"""What becomes of labels when their project moves to another group."""

from typing import Any, LiteralString

from mujina.kernel import clock
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Event
from mujina.planning.labels.rules import USABLE

_LEFT_BEHIND: LiteralString = """
    SELECT old.id FROM labels old WHERE old.id IN (
        SELECT il.label_id FROM issues i JOIN issue_labels il ON il.issue_id = i.id WHERE i.project_id = :project_id
        UNION ALL SELECT lp.label_id FROM label_priorities lp WHERE lp.project_id = :project_id
        UNION ALL SELECT list.label_id FROM boards board JOIN board_lists list ON list.board_id = board.id
        WHERE board.project_id = :project_id)
    AND old.group_id IS NOT NULL AND old.group_id NOT IN
        (SELECT t.ancestor_id FROM group_tree t WHERE t.group_id = :namespace_id)"""
"""Labels in use in the project, on issues or boards or by their rank, of groups it is no longer below."""


async def copy_group_labels(tx: Tx, event: Event) -> None:
    """What the project uses stays: labels of the groups left behind are copied, unless one of that title is usable there."""
    bound = {"project_id": event.project_id, "namespace_id": event.changes["namespace_id"][1]}
    await tx.run(
        f"""
        INSERT INTO labels (project_id, title, title_folded, color, description, created_at, updated_at)
        SELECT CAST(:project_id AS bigint), left_behind.title, left_behind.title_folded, left_behind.color,
               left_behind.description, CAST(:now AS text), CAST(:now AS text)
        FROM labels left_behind WHERE left_behind.id IN ({_LEFT_BEHIND})
        AND NOT EXISTS (SELECT 1 FROM labels l WHERE l.title = left_behind.title AND {USABLE})
        ON CONFLICT DO NOTHING
        """,
        now=clock.now(),
        **bound,
    )
    await _rank(tx, bound)
    await _relabel(tx, bound)


async def _relabel(tx: Tx, bound: dict[str, Any]) -> None:
    await tx.run(
        f"""
        INSERT INTO issue_labels (issue_id, label_id)
        SELECT il.issue_id, min(l.id) FROM issues i JOIN issue_labels il ON il.issue_id = i.id
        JOIN labels left_behind ON left_behind.id = il.label_id
        JOIN labels l ON l.title = left_behind.title AND {USABLE}
        WHERE i.project_id = :project_id AND left_behind.id IN ({_LEFT_BEHIND})
        GROUP BY il.issue_id, left_behind.title
        ON CONFLICT DO NOTHING
        """,
        **bound,
    )
    await tx.run(
        f"""DELETE FROM issue_labels WHERE label_id IN ({_LEFT_BEHIND})
            AND issue_id IN (SELECT i.id FROM issues i WHERE i.project_id = :project_id)""",
        **bound,
    )


async def _rank(tx: Tx, bound: dict[str, Any]) -> None:
    """Labels keep the rank they have in the project."""
    await tx.run(
        f"""
        INSERT INTO label_priorities (project_id, label_id, priority)
        SELECT lp.project_id, min(l.id), min(lp.priority) FROM label_priorities lp
        JOIN labels left_behind ON left_behind.id = lp.label_id
        JOIN labels l ON l.title = left_behind.title AND {USABLE}
        WHERE lp.project_id = :project_id AND left_behind.id IN ({_LEFT_BEHIND})
        GROUP BY lp.project_id, left_behind.title
        ON CONFLICT DO NOTHING
        """,
        **bound,
    )
    await tx.run(
        f"DELETE FROM label_priorities WHERE project_id = :project_id AND label_id IN ({_LEFT_BEHIND})", **bound
    )
