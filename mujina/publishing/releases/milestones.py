"""The milestones of releases, when those of projects become one of their group."""

from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Event


async def follow_promotion(tx: Tx, event: Event) -> None:
    """Releases of the merged milestones have the promoted one."""
    former, promoted = event.changes["milestone_ids"]
    await tx.run(
        """INSERT INTO release_milestones (release_id, milestone_id)
           SELECT DISTINCT used.release_id, CAST(:promoted AS bigint) FROM release_milestones used
           WHERE used.milestone_id IN :former ON CONFLICT DO NOTHING""",
        promoted=promoted,
        former=former,
    )
