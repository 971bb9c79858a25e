"""Writing and pruning the log."""

from datetime import timedelta
from typing import Final

from mujina.kernel import clock
from mujina.kernel.db.rows import insert, upsert
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Event
from mujina.replication.log.rules import HAS_SECONDARIES, LogKind
from mujina.replication.statuses.rules import list_statuses

KEPT_ROWS: Final = 1_000
"""Rows that are kept behind the slowest node: a batch may be applied again."""
MAX_AGE: Final = timedelta(days=7)
"""A node that is further behind starts over."""

_KINDS: Final[dict[str, LogKind]] = {
    "project.created": "repository_created",
    "project.forked": "repository_created",
    "project.moved_in": "repository_created",
    "project.deleted": "repository_deleted",
    "project.transferred": "repository_renamed",
    "repository.pushed": "repository_updated",
    "repository.noted": "repository_updated",
    "repository.copied": "repository_updated",
    "wiki.pushed": "wiki_updated",
    "wiki.copied": "wiki_updated",
    "upload.created": "attachment",
    "user.avatar_changed": "user_avatar",
    "user.created": "user_avatar",
    "group.created": "group_avatar",
    "group.updated": "group_avatar",
    "topic.created": "topic_avatar",
    "topic.updated": "topic_avatar",
    "topic.deleted": "topic_avatar",
    "job_artifact.created": "job_artifact",
    "job_artifact.deleted": "files_removed",
    "package_file.created": "package_file",
    "package_file.deleted": "files_removed",
    "site.published": "site",
    "site.removed": "files_removed",
}
"""The entries of the log that each kind of event makes; the others are below."""
_MERGE_REQUEST_KINDS: Final = (
    "merge_request.created", "merge_request.reopened", "merge_request.pushed", "merge_request.merged",
    "merge_request.deleted",
)  # fmt: skip
"""They change refs that no push moves."""
_COPIED_SETTINGS: Final = frozenset({"path", "default_branch", "wiki_enabled"})
"""Settings of a project by which its copy differs."""


async def log_event(tx: Tx, event: Event) -> None:
    """Log what secondaries have to do because of the event."""
    if event.kind == "lfs_object.uploaded":
        oid = event.changes["oid"][1]
        object_id = await tx.value("SELECT o.id FROM lfs_objects o WHERE o.oid = :oid", oid=oid)
        await append(tx, "lfs", object_id)
    elif event.kind == "project.updated":
        await append(tx, "project_avatar", event.subject_id)
        if not _COPIED_SETTINGS.isdisjoint(event.changes):
            await append(tx, "repository_renamed", event.subject_id)
    elif event.kind in _MERGE_REQUEST_KINDS:
        if event.project_id is not None:
            await append(tx, "repository_updated", event.project_id)
    else:
        await append(tx, _KINDS[event.kind], event.subject_id)
        if event.kind in ("project.created", "project.forked", "repository.copied"):
            await append(tx, "project_avatar", event.subject_id)


LOGGED: Final = (*_KINDS, *_MERGE_REQUEST_KINDS, "project.updated", "lfs_object.uploaded")
"""The kinds of events that are logged."""


async def append(tx: Tx, kind: LogKind, object_id: int) -> None:
    """Add a row to the log."""
    await insert(tx, "replication_log", kind=kind, object_id=object_id, created_at=clock.now())


async def log_removed_files(tx: Tx, project_id: int) -> None:
    """Log that files of a deleted project are gone, if there are secondaries."""
    if await tx.value(f"SELECT 1 WHERE {HAS_SECONDARIES}"):
        await append(tx, "files_removed", project_id)


async def prune(tx: Tx) -> int:
    """Delete rows that every enabled secondary has applied, and very old ones. How many.

    A secondary that has not reported yet keeps every row that is not very old. Without secondaries, all rows go.
    """
    secondaries = await tx.values(
        "SELECT node.id FROM replication_nodes node WHERE NOT node.is_primary AND node.enabled"
    )
    statuses = await list_statuses(tx)
    cursors = [statuses[id].read_figures().cursor_event_id or 0 if id in statuses else 0 for id in secondaries]
    newest: int = await tx.value("SELECT coalesce(max(entry.id), 0) FROM replication_log entry")
    too_old: int = await tx.value(
        "SELECT coalesce(max(entry.id), 0) FROM replication_log entry WHERE entry.created_at < :before",
        before=clock.later(-MAX_AGE),
    )
    through = max(too_old, min(cursors) - KEPT_ROWS if cursors else newest)
    deleted = await tx.run("DELETE FROM replication_log WHERE id <= :through", through=through)
    if deleted:
        await upsert(tx, "replication_pruned", "id", id=1, event_id=through)
    return deleted
