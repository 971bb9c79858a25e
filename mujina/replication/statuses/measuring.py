"""Measuring the status of this node."""

import asyncio
from typing import Final

import msgspec

from mujina.kernel import build, clock
from mujina.kernel.db.postgres import replication as postgres_replication
from mujina.kernel.db.transaction import Database, Tx
from mujina.kernel.services import Services
from mujina.kernel.storage.errors import find_storage_problem
from mujina.replication.log.rules import last_event
from mujina.replication.nodes.rules import NodeRow, list_nodes
from mujina.replication.registry.cursor import CursorRow, read_cursor
from mujina.replication.registry.rules import count_files, count_repositories
from mujina.replication.statuses.rules import Figures, StatusRow, list_statuses

NOT_A_REPLICA: Final = "The database of this node is not a replica: it no longer follows the primary."
NOT_RECEIVING: Final = "The database of this node has received nothing from the primary since {}."
NOT_STARTED: Final = "This node has not begun to copy yet."
NOT_FOLLOWING: Final = "This node has not applied the log of the primary since {}."
NOT_WRITABLE: Final = "The storage of this node is {}: nothing can be copied to it."
MAX_FOLLOWING_SECONDS: Final = 60
"""A node that has not applied all of its log for longer is not healthy."""


async def measured(services: Services, node: NodeRow) -> StatusRow | None:
    """The status of the node now, if it is this one. What others reported is stored."""
    if services.registry is not None:
        if node.id != services.node_id:
            return None
        figures = await measure_secondary(services, services.registry)
    elif node.is_primary:
        async with services.database.searching() as tx:
            figures = await measure_primary(tx, services.settings.api_version_text)
    else:
        return None
    return StatusRow(node.id, msgspec.json.encode(figures).decode(), clock.now())


async def read_statuses(services: Services) -> tuple[list[NodeRow], dict[int, StatusRow]]:
    """All nodes, and the status of each that has reported one or that this node can measure now."""
    async with services.database.reading() as tx:
        nodes, stored = await list_nodes(tx), await list_statuses(tx)
    for node in nodes:
        if (own := await measured(services, node)) is not None:
            stored[node.id] = own
    return nodes, stored


async def measure_primary(tx: Tx, version: str) -> Figures:
    """The numbers of objects to copy."""
    counts = await tx.row(
        tuple[int, int, int, int, int],
        """
        SELECT (SELECT count(DISTINCT f.secret) FROM uploads f)
            + (SELECT count(*) FROM users u WHERE u.avatar_key IS NOT NULL)
            + (SELECT count(*) FROM projects p WHERE p.avatar_key IS NOT NULL)
            + (SELECT count(*) FROM groups g WHERE g.avatar_key IS NOT NULL)
            + (SELECT count(*) FROM topics tp WHERE tp.avatar_key IS NOT NULL),
            (SELECT count(*) FROM lfs_objects o),
            (SELECT count(*) FROM job_artifacts a WHERE a.file IS NOT NULL),
            (SELECT count(*) FROM projects p WHERE p.deleted_at IS NULL),
            (SELECT count(*) FROM projects p WHERE p.deleted_at IS NULL AND p.wiki_enabled)
        """,
    )
    attachments, lfs_objects, job_artifacts, repositories, wikis = counts or (0, 0, 0, 0, 0)
    event_id, event_at = await last_event(tx) or (None, None)
    return Figures(
        attachments_count=attachments, lfs_objects_count=lfs_objects, job_artifacts_count=job_artifacts,
        repositories_count=repositories,
        wikis_count=wikis, last_event_id=event_id, last_event_at=event_at, version=version, revision=build.REVISION,
    )  # fmt: skip


async def measure_secondary(services: Services, registry: Database) -> Figures:
    """The numbers of objects to copy and copied, and the delay of the replica."""
    async with services.database.searching() as tx:
        figures = await measure_primary(tx, services.settings.api_version_text)
        replica = await postgres_replication.read_replica(tx)
    async with registry.reading() as tx:
        cursor = await read_cursor(tx)
        attachments, lfs_objects = await count_files(tx, "attachments"), await count_files(tx, "lfs_objects")
        job_artifacts = await count_files(tx, "job_artifacts")
        repositories, wikis = await count_repositories(tx, "repository"), await count_repositories(tx, "wiki")
    storage = await asyncio.to_thread(find_storage_problem, [services.settings.data])
    return msgspec.structs.replace(
        figures, problem=find_problem(replica, cursor, storage), db_replication_lag_seconds=_lag(replica, cursor),
        attachments=attachments, lfs_objects=lfs_objects, job_artifacts=job_artifacts,
        repositories=repositories, wikis=wikis,
        cursor_event_id=(cursor.event_id or None) if cursor else None, cursor_event_at=cursor.event_at if cursor else None,
    )  # fmt: skip


def find_problem(replica: postgres_replication.Replica, cursor: CursorRow | None, storage: str | None) -> str:
    """Why a secondary is not healthy; empty if it is."""
    if not replica.in_recovery:
        return NOT_A_REPLICA
    if storage is not None:
        return NOT_WRITABLE.format(storage)
    if cursor is None:
        return NOT_STARTED
    if not replica.receiving:
        return NOT_RECEIVING.format(clock.spelled(cursor.contact_at))
    stalled = clock.seconds_until(cursor.followed_at) < -MAX_FOLLOWING_SECONDS
    return NOT_FOLLOWING.format(clock.spelled(cursor.followed_at)) if stalled else ""


def _lag(replica: postgres_replication.Replica, cursor: CursorRow | None) -> int | None:
    """Seconds. An idle link that is cut counts from the last contact: nothing to replay does not mean nothing is missing."""
    if not replica.in_recovery:
        return None
    if not replica.receiving:
        return None if cursor is None else max(0, int(-clock.seconds_until(cursor.contact_at)))
    if replica.caught_up or replica.replayed_at is None:
        return 0
    return max(0, int(-clock.seconds_until(replica.replayed_at)))
