"""The figures of a node's status, and the only ways to find what a node last reported."""

import msgspec

from mujina.kernel import errors
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx
from mujina.replication.registry.rules import Progress


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """The figures that a node measures and reports. None: a figure that only a secondary has, or that is not known."""

    problem: str = ""
    """Why the node is not healthy; empty if it is."""
    attachments_count: int
    attachments: Progress | None = None
    db_replication_lag_seconds: int | None = None
    lfs_objects_count: int
    lfs_objects: Progress | None = None
    job_artifacts_count: int = 0
    job_artifacts: Progress | None = None
    repositories_count: int
    repositories: Progress | None = None
    wikis_count: int
    wikis: Progress | None = None
    last_event_id: int | None = None
    last_event_at: str | None = None
    cursor_event_id: int | None = None
    cursor_event_at: str | None = None
    version: str
    revision: str


class StatusRow(Row, alias="status"):
    node_id: int
    figures: str
    reported_at: str

    def read_figures(self) -> Figures:
        return msgspec.json.decode(self.figures, type=Figures)


async def list_statuses(tx: Tx) -> dict[int, StatusRow]:
    """The last status of each node that has reported one, by the id of the node."""
    rows = await tx.rows(StatusRow, f"SELECT {StatusRow.columns} FROM replication_statuses status")
    return {row.node_id: row for row in rows}


async def find_status(tx: Tx, node_id: int) -> StatusRow:
    """404 for a node that has not reported yet."""
    status = (await list_statuses(tx)).get(node_id)
    if status is None:
        raise errors.not_found_with("404 Status for Geo node not found Not Found")
    return status
