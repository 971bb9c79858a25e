"""The labels of a project that is transferred to another group."""

from typing import Any, LiteralString

from mujina.kernel import clock
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Event
from mujina.planning.labels.rules import USABLE
from mujina.planning.work_items.kinds import WORK_ITEM_KINDS, WorkItemKind

_FORMER: LiteralString = """
    SELECT old.id FROM labels old WHERE old.id IN (
        SELECT il.label_id FROM issues i JOIN issue_labels il ON il.issue_id = i.id WHERE i.project_id = :project_id
        UNION ALL SELECT ml.label_id FROM merge_requests mr
        JOIN merge_request_labels ml ON ml.merge_request_id = mr.id WHERE mr.project_id = :project_id
        UNION ALL SELECT lp.label_id FROM label_priorities lp WHERE lp.project_id = :project_id
        UNION ALL SELECT list.label_id FROM boards board JOIN board_lists list ON list.board_id = board.id
        WHERE board.project_id = :project_id)
    AND old.group_id IS NOT NULL AND old.group_id NOT IN
        (SELECT t.ancestor_id FROM group_tree t WHERE t.group_id = :namespace_id)"""
"""Labels of former groups that the project uses on issues, on merge requests, on boards or with a priority."""


async def copy_group_labels(tx: Tx, event: Event) -> None:
    """Copy used labels of former groups into the project, unless a label of the same title is usable, and use those."""
    bound = {"project_id": event.project_id, "namespace_id": event.changes["namespace_id"][1]}
    await tx.run(
        f"""
        INSERT INTO labels (project_id, title, title_folded, color, description, created_at, updated_at)
        SELECT CAST(:project_id AS bigint), former.title, former.title_folded, former.color,
               former.description, CAST(:now AS text), CAST(:now AS text)
        FROM labels former WHERE former.id IN ({_FORMER})
        AND NOT EXISTS (SELECT 1 FROM labels l WHERE l.title = former.title AND {USABLE})
        ON CONFLICT DO NOTHING
        """,
        now=clock.now(),
        **bound,
    )
    await _move_priorities(tx, bound)
    for kind in tx.product.all(WORK_ITEM_KINDS):
        await _relabel(tx, kind, bound)


async def _relabel(tx: Tx, kind: WorkItemKind, bound: dict[str, Any]) -> None:
    await tx.run(
        f"""
        INSERT INTO {kind.labels} ({kind.key}, label_id)
        SELECT used.{kind.key}, min(l.id) FROM {kind.table} item JOIN {kind.labels} used ON used.{kind.key} = item.id
        JOIN labels former ON former.id = used.label_id
        JOIN labels l ON l.title = former.title AND {USABLE}
        WHERE item.project_id = :project_id AND former.id IN ({_FORMER})
        GROUP BY used.{kind.key}, former.title
        ON CONFLICT DO NOTHING
        """,
        **bound,
    )
    await tx.run(
        f"""DELETE FROM {kind.labels} WHERE label_id IN ({_FORMER})
            AND {kind.key} IN (SELECT item.id FROM {kind.table} item WHERE item.project_id = :project_id)""",
        **bound,
    )


async def _move_priorities(tx: Tx, bound: dict[str, Any]) -> None:
    await tx.run(
        f"""
        INSERT INTO label_priorities (project_id, label_id, priority)
        SELECT lp.project_id, min(l.id), min(lp.priority) FROM label_priorities lp
        JOIN labels former ON former.id = lp.label_id
        JOIN labels l ON l.title = former.title AND {USABLE}
        WHERE lp.project_id = :project_id AND former.id IN ({_FORMER})
        GROUP BY lp.project_id, former.title
        ON CONFLICT DO NOTHING
        """,
        **bound,
    )
    await tx.run(f"DELETE FROM label_priorities WHERE project_id = :project_id AND label_id IN ({_FORMER})", **bound)
