"""The status of nodes as it is shown."""

from typing import Any, Literal

import msgspec

from mujina.kernel import clock
from mujina.replication.nodes.rules import NodeRow
from mujina.replication.registry.rules import Progress
from mujina.replication.statuses.rules import Figures, StatusRow

MAX_AGE_SECONDS = 60
"""A node that has not reported for longer is offline."""
HEALTHY = "Healthy"

HealthStatus = Literal["Healthy", "Unhealthy", "Offline"]


class NodeStatus(msgspec.Struct, kw_only=True):
    """The status of one node. The list of all nodes also shows wikis."""

    geo_node_id: int
    healthy: bool
    health: str
    health_status: HealthStatus
    missing_oauth_application: bool
    attachments_count: int
    attachments_synced_count: int | None
    attachments_failed_count: int | None
    attachments_synced_in_percentage: str
    db_replication_lag_seconds: int | None
    lfs_objects_count: int
    lfs_objects_synced_count: int | None
    lfs_objects_failed_count: int | None
    lfs_objects_synced_in_percentage: str
    job_artifacts_count: int
    job_artifacts_synced_count: int | None
    job_artifacts_failed_count: int | None
    job_artifacts_synced_in_percentage: str
    repositories_count: int
    repositories_failed_count: int | None
    repositories_synced_count: int | None
    repositories_synced_in_percentage: str
    # Compat: the status of one node shows no wikis, the list of all does.
    wikis_count: int | msgspec.UnsetType
    wikis_failed_count: int | msgspec.UnsetType | None
    wikis_synced_count: int | msgspec.UnsetType | None
    wikis_synced_in_percentage: str | msgspec.UnsetType
    last_event_id: int | None
    last_event_timestamp: int
    cursor_last_event_id: int | None
    cursor_last_event_timestamp: int
    last_successful_status_check_timestamp: int
    version: str
    revision: str


def shown_status(node: NodeRow, status: StatusRow, *, with_wikis: bool) -> NodeStatus:
    figures = status.read_figures()
    health, health_status = _health(node, status, figures)
    counts: dict[str, Any] = _counts(figures, "wikis")
    if not with_wikis:
        counts = dict.fromkeys(counts, msgspec.UNSET)
    for noun in ("attachments", "lfs_objects", "job_artifacts", "repositories"):
        counts |= _counts(figures, noun)
    return NodeStatus(
        geo_node_id=node.id, healthy=health_status == HEALTHY, health=health, health_status=health_status,
        missing_oauth_application=not node.is_primary and node.application_id is None,
        db_replication_lag_seconds=figures.db_replication_lag_seconds,
        **counts,
        last_event_id=figures.last_event_id, last_event_timestamp=_seconds(figures.last_event_at),
        cursor_last_event_id=figures.cursor_event_id, cursor_last_event_timestamp=_seconds(figures.cursor_event_at),
        last_successful_status_check_timestamp=_seconds(status.reported_at),
        version=figures.version, revision=figures.revision,
    )  # fmt: skip


def _health(node: NodeRow, status: StatusRow, figures: Figures) -> tuple[str, HealthStatus]:
    if not node.enabled:
        return "The node is disabled: nothing is copied to it.", "Offline"
    if clock.seconds_until(status.reported_at) < -MAX_AGE_SECONDS:
        return f"The node has not reported since {clock.spelled(status.reported_at)}.", "Offline"
    return (figures.problem, "Unhealthy") if figures.problem else (HEALTHY, HEALTHY)


def _counts(figures: Figures, noun: str) -> dict[str, Any]:
    """How many there are, how many were copied or failed, and how many in percent were copied."""
    count: int = getattr(figures, f"{noun}_count")
    copied: Progress | None = getattr(figures, noun)
    within = None if copied is None else copied.within(count)
    return {
        f"{noun}_count": count,
        f"{noun}_synced_count": within and within.synced,
        f"{noun}_failed_count": within and within.failed,
        f"{noun}_synced_in_percentage": percentage(within.synced, count) if within else percentage(0, 0),
    }


def percentage(part: int, whole: int) -> str:
    """`97.56%`; of nothing, `0.00%`."""
    return f"{part / whole * 100:.2f}%" if whole else "0.00%"


def _seconds(moment: str | None) -> int:
    # Compat: 0 for a time that is not known, where ids are null.
    return 0 if moment is None else clock.seconds(moment)
