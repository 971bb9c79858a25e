"""Storing what secondaries report."""

import msgspec

from mujina.kernel import clock
from mujina.kernel.db.transaction import Tx
from mujina.replication.statuses.rules import Figures


async def store(tx: Tx, node_id: int, figures: Figures) -> None:
    """Replace the last status of the node."""
    await tx.run(
        """
        INSERT INTO replication_statuses (node_id, figures, reported_at) VALUES (:node_id, :figures, :now)
        ON CONFLICT (node_id) DO UPDATE SET figures = excluded.figures, reported_at = excluded.reported_at
        """,
        node_id=node_id, figures=msgspec.json.encode(figures).decode(), now=clock.now(),
    )  # fmt: skip
