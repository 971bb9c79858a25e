"""Nodes of replication in a database, without machines behind them: no request creates one."""

from typing import Any

from mujina.kernel.permissions.actor import SYSTEM
from mujina.kernel.secrets import Vault, new_key
from mujina.replication.nodes import operations
from mujina.replication.registry.rules import Progress
from mujina.replication.statuses import operations as statuses
from mujina.replication.statuses.rules import Figures

PRIMARY, SECONDARY, THIRD = "https://primary.example.com/", "https://secondary.example.com/", "http://third.example/"
FIGURES = Figures(
    attachments_count=3, attachments=Progress(1, 1), db_replication_lag_seconds=0, lfs_objects_count=0,
    lfs_objects=Progress(0, 0), job_artifacts=Progress(0, 0), repositories_count=41, repositories=Progress(40, 5),
    wikis_count=3, wikis=Progress(2, 0), last_event_id=23, last_event_at="2017-11-03T03:52:46.000Z", cursor_event_id=23,
    cursor_event_at="2017-11-03T03:52:46.000Z", version="10.5.0-ee", revision="33d33a096a",
)  # fmt: skip


async def add_nodes(tx: Any) -> list[int]:
    """The ids of a primary and two secondaries."""
    vault = Vault(new_key())
    await operations.init_primary(tx, SYSTEM, vault, PRIMARY.rstrip("/"))
    added = [await operations.add_secondary(tx, SYSTEM, vault, url) for url in (SECONDARY, THIRD)]
    primary_id: int = await tx.value("SELECT id FROM replication_nodes WHERE is_primary")
    return [primary_id, *(node.id for node in added)]


async def add_reporting_node(database: Any) -> int:
    """The id of a secondary that has reported its status."""
    async with database.transaction() as tx:
        _, secondary, _ = await add_nodes(tx)
        await statuses.store(tx, secondary, FIGURES)
    return secondary
