"""The status of nodes as it is shown."""

from typing import Literal

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
    wikis = _progress(figures.wikis, figures.wikis_count)
    unset = msgspec.UNSET
    attachments, lfs_objects, job_artifacts, repositories = (
        _progress(figures.attachments, figures.attachments_count),
        _progress(figures.lfs_objects, figures.lfs_objects_count),
        _progress(figures.job_artifacts, figures.job_artifacts_count),
        _progress(figures.repositories, figures.repositories_count),
    )
    return NodeStatus(
        geo_node_id=node.id, healthy=health_status == HEALTHY, health=health, health_status=health_status,
        missing_oauth_application=not node.is_primary and node.application_id is None,
        attachments_count=figures.attachments_count, attachments_synced_count=attachments[0],
        attachments_failed_count=attachments[1], attachments_synced_in_percentage=attachments[2],
        db_replication_lag_seconds=figures.db_replication_lag_seconds,
        lfs_objects_count=figures.lfs_objects_count, lfs_objects_synced_count=lfs_objects[0],
        lfs_objects_failed_count=lfs_objects[1], lfs_objects_synced_in_percentage=lfs_objects[2],
        job_artifacts_count=figures.job_artifacts_count, job_artifacts_synced_count=job_artifacts[0],
        job_artifacts_failed_count=job_artifacts[1], job_artifacts_synced_in_percentage=job_artifacts[2],
        repositories_count=figures.repositories_count, repositories_failed_count=repositories[1],
        repositories_synced_count=repositories[0], repositories_synced_in_percentage=repositories[2],
        wikis_count=figures.wikis_count if with_wikis else unset,
        wikis_failed_count=wikis[1] if with_wikis else unset,
        wikis_synced_count=wikis[0] if with_wikis else unset,
        wikis_synced_in_percentage=wikis[2] if with_wikis else unset,
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


def _progress(progress: Progress | None, count: int) -> tuple[int | None, int | None, str]:
    """Synced, failed, and synced in percent."""
    if progress is None:
        return None, None, percentage(0, 0)
    progress = progress.within(count)
    return progress.synced, progress.failed, percentage(progress.synced, count)


def percentage(part: int, whole: int) -> str:
    """`97.56%`; of nothing, `0.00%`."""
    return f"{part / whole * 100:.2f}%" if whole else "0.00%"


def _seconds(moment: str | None) -> int:
    # Compat: 0 for a time that is not known, where ids are null.
    return 0 if moment is None else clock.seconds(moment)
