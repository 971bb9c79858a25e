"""The log of what secondaries have to copy or delete."""

from typing import Literal, LiteralString

from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx

LogKind = Literal[
    "repository_created", "repository_updated", "repository_renamed", "repository_deleted", "wiki_updated",
    "attachment", "lfs", "user_avatar", "project_avatar", "group_avatar", "topic_avatar", "job_artifact",
    "package_file", "site", "files_removed",
]  # fmt: skip

HAS_SECONDARIES: LiteralString = "EXISTS (SELECT 1 FROM replication_nodes node WHERE NOT node.is_primary)"
"""The condition for logging: without secondaries nothing is logged."""


class LogRow(Row, alias="entry"):
    id: int
    kind: LogKind
    object_id: int
    created_at: str


async def last_event(tx: Tx) -> tuple[int, str] | None:
    """The id and the time of the newest row."""
    return await tx.row(
        tuple[int, str], "SELECT entry.id, entry.created_at FROM replication_log entry ORDER BY entry.id DESC LIMIT 1"
    )


async def list_events(tx: Tx, after: int, limit: int) -> list[LogRow]:
    """The rows after this one, in order."""
    return await tx.rows(
        LogRow,
        f"SELECT {LogRow.columns} FROM replication_log entry WHERE entry.id > :after ORDER BY entry.id LIMIT :limit",
        after=after,
        limit=limit,
    )


async def list_late_events(tx: Tx, ids: list[int]) -> list[LogRow]:
    """Returns those rows that exist now."""
    return await tx.rows(
        LogRow, f"SELECT {LogRow.columns} FROM replication_log entry WHERE entry.id IN :ids ORDER BY entry.id", ids=ids
    )


async def has_unapplied(tx: Tx, after: int, late: list[int], object_id: int, kinds: list[LogKind]) -> bool:
    """Whether a row after this one, or one of those that were late, is about the object; true if such rows were pruned."""
    return bool(
        await tx.value(
            """
            SELECT 1 WHERE EXISTS (SELECT 1 FROM replication_log entry
                WHERE entry.id > :after AND entry.object_id = :object_id AND entry.kind IN :kinds)
            OR EXISTS (SELECT 1 FROM replication_log entry
                WHERE entry.id IN :late AND entry.object_id = :object_id AND entry.kind IN :kinds)
            OR EXISTS (SELECT 1 FROM replication_pruned gone WHERE gone.event_id > :after)
            """,
            after=after, late=late, object_id=object_id, kinds=kinds,
        )
    )  # fmt: skip


async def pruned_through(tx: Tx) -> int:
    """The last row that was deleted; 0 if none was."""
    return await tx.value("SELECT coalesce(max(gone.event_id), 0) FROM replication_pruned gone")
