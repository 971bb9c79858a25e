"""The merge requests of a project that is transferred to another group, or whose group is."""

from typing import Any

from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Event
from mujina.planning.issues.group_transfers import moved_projects
from mujina.planning.issues.transfers import FORMER_MILESTONES, SAME_TITLE
from mujina.planning.labels.rules import USABLE
from mujina.planning.labels.transfers import FORMER


async def replace_request_labels(tx: Tx, event: Event) -> None:
    """Use the labels of the project or of its new groups that have the titles of labels of former groups."""
    bound = _bound(event)
    await tx.run(
        f"""
        INSERT INTO merge_request_labels (merge_request_id, label_id)
        SELECT ml.merge_request_id, min(l.id) FROM merge_requests mr
        JOIN merge_request_labels ml ON ml.merge_request_id = mr.id
        JOIN labels former ON former.id = ml.label_id
        JOIN labels l ON l.title = former.title AND {USABLE}
        WHERE mr.project_id = :project_id AND former.id IN ({FORMER})
        GROUP BY ml.merge_request_id, former.title
        ON CONFLICT DO NOTHING
        """,
        **bound,
    )
    await tx.run(
        f"""DELETE FROM merge_request_labels WHERE label_id IN ({FORMER})
            AND merge_request_id IN (SELECT mr.id FROM merge_requests mr WHERE mr.project_id = :project_id)""",
        **bound,
    )


async def replace_request_milestones(tx: Tx, event: Event) -> None:
    """Replace milestones of former groups with the usable ones of the same titles, or with none."""
    await tx.run(
        f"""
        UPDATE merge_requests SET milestone_id = ({SAME_TITLE} AND old.id = merge_requests.milestone_id)
        WHERE project_id = :project_id AND milestone_id IN ({FORMER_MILESTONES})
        """,
        **_bound(event),
    )


async def replace_in_group(tx: Tx, event: Event) -> None:
    """Replaces in every project below a group that is transferred."""
    for moved in await moved_projects(tx, event):
        await replace_request_labels(tx, moved)
        await replace_request_milestones(tx, moved)


def _bound(event: Event) -> dict[str, Any]:
    return {"project_id": event.project_id, "namespace_id": event.changes["namespace_id"][1]}
