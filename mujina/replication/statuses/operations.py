"""Storing what nodes report."""

from typing import Final

import msgspec

from mujina.kernel import clock
from mujina.kernel.db.rows import upsert
from mujina.kernel.db.transaction import Tx
from mujina.kernel.services import Services
from mujina.replication.nodes.rules import find_primary
from mujina.replication.statuses.measuring import measured
from mujina.replication.statuses.rules import Figures, list_statuses

OWN_INTERVAL_SECONDS: Final = 30
"""The pause between two times that the primary measures itself for its secondaries."""


async def store(tx: Tx, node_id: int, figures: Figures) -> None:
    """Replace the last status of the node."""
    encoded = msgspec.json.encode(figures).decode()
    await upsert(tx, "replication_statuses", "node_id", node_id=node_id, figures=encoded, reported_at=clock.now())


async def refresh_own(services: Services) -> None:
    """Store the status of this primary, which secondaries show; not if that was done a moment ago."""
    async with services.database.reading() as tx:
        primary, stored = await find_primary(tx), await list_statuses(tx)
    if primary is None or (
        primary.id in stored and clock.seconds_until(stored[primary.id].reported_at) > -OWN_INTERVAL_SECONDS
    ):
        return
    status = await measured(services, primary)
    if status is not None:
        async with services.database.transaction() as tx:
            await store(tx, primary.id, status.read_figures())
