"""Recording what happened to issues and merge requests, where their system notes are written."""

from typing import Any, Final, LiteralString

from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Event

_STATES: Final = frozenset({"closed", "reopened", "merged"})
_LABELS: Final[LiteralString] = """
    SELECT 'label' AS field, CASE WHEN l.title IN :added THEN 'add' ELSE 'remove' END AS action, min(l.id) AS label_id,
        CAST(NULL AS bigint) AS milestone_id, CAST(NULL AS bigint) AS weight
    FROM labels l WHERE l.title IN :titles AND (l.project_id = :project_id OR l.group_id IN (
        SELECT t.ancestor_id FROM projects p JOIN group_tree t ON t.group_id = p.namespace_id WHERE p.id = :project_id))
    GROUP BY l.title"""
_MILESTONE: Final[LiteralString] = """
    SELECT 'milestone' AS field, CAST(:milestone_action AS text) AS action, CAST(NULL AS bigint) AS label_id,
        CAST(:milestone_id AS bigint) AS milestone_id, CAST(NULL AS bigint) AS weight"""
_WEIGHT: Final[LiteralString] = """
    SELECT 'weight' AS field, 'add' AS action, CAST(NULL AS bigint) AS label_id, CAST(NULL AS bigint) AS milestone_id,
        CAST(:weight AS bigint) AS weight"""
_STATE: Final[LiteralString] = """
    SELECT 'state' AS field, CAST(:state AS text) AS action, CAST(NULL AS bigint) AS label_id,
        CAST(NULL AS bigint) AS milestone_id, CAST(NULL AS bigint) AS weight"""


def _insert(changes: LiteralString) -> LiteralString:
    return f"""
        INSERT INTO resource_events
            (project_id, noteable_kind, noteable_id, user_id, created_at, field, action, label_id, milestone_id, weight)
        SELECT CAST(:project_id AS bigint), CAST(:noteable_kind AS text), CAST(:noteable_id AS bigint),
            CAST(:user_id AS bigint), CAST(:created_at AS text), change.field, change.action, change.label_id,
            change.milestone_id, change.weight FROM ({changes}) change"""


async def record_changes(tx: Tx, event: Event) -> None:
    """Write a row for each label that was added or removed, and for another state, milestone or weight.

    One statement writes them; a change of something else costs none.
    """
    parts: list[LiteralString] = []
    bound: dict[str, Any] = {}
    if "labels" in event.changes:
        before, after = (set(titles or []) for titles in event.changes["labels"])
        parts.append(_LABELS)
        bound |= {"added": sorted(after - before), "titles": sorted(before ^ after)}
    former, milestone_id = event.changes.get("milestone_id", (None, None))
    if former or milestone_id:
        parts.append(_MILESTONE)
        bound |= {"milestone_action": "add" if milestone_id else "remove", "milestone_id": milestone_id or former}
    if "weight" in event.changes and event.changes["weight"] != (None, None):
        parts.append(_WEIGHT)
        bound["weight"] = event.changes["weight"][1]
    if (state := event.kind.rpartition(".")[2]) in _STATES:
        parts.append(_STATE)
        bound["state"] = state
    if parts:
        await tx.run(
            _insert(" UNION ALL ".join(parts)), project_id=event.project_id, noteable_kind=event.subject_kind,
            noteable_id=event.subject_id, user_id=event.actor_id, created_at=event.created_at, **bound,
        )  # fmt: skip
