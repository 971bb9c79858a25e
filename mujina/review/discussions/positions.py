"""The positions of discussions on merge requests."""

from mujina.kernel.db.transaction import Tx
from mujina.planning.discussions.positions import Position, decode


async def positions_of(tx: Tx, discussion_ids: list[str]) -> dict[str, Position]:
    """The positions of these discussions."""
    rows = await tx.rows(
        tuple[str, str],
        "SELECT at.discussion_id, at.position FROM diff_positions at WHERE at.discussion_id IN :ids",
        ids=discussion_ids,
    )
    return {discussion_id: decode(position) for discussion_id, position in rows}
