"""Applying the log of the primary to the registry of this secondary."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from mujina.kernel.db.transaction import Database
from mujina.kernel.monitoring.logs import log
from mujina.kernel.services import Services
from mujina.planning.storage.files import FileKind, file_kinds, find_files
from mujina.replication.log.rules import LogKind, LogRow, last_event, list_events, list_late_events, pruned_through
from mujina.replication.registry import cursor as cursors
from mujina.replication.registry import operations
from mujina.replication.registry.cursor import CursorRow
from mujina.replication.sync.operations import Primary
from mujina.replication.sync.reconciling import find_wikis, remove_projects

BATCH: Final = 500
LATE_ROWS: Final = 1_000
"""The rows before the end of the log at which a node starts: a missing number among them may still be committed."""
_WITH_WIKI: Final[tuple[LogKind, ...]] = ("repository_created", "repository_renamed")


class EventFollower:
    """Reads the log from the replica in batches, and moves the cursor after each; a batch may be applied twice."""

    def __init__(self, services: Services, registry: Database, primary: Primary) -> None:
        self._services = services
        self._registry = registry
        self._primary = primary
        self.started_over = False
        """Whether the cursor was set to the end of the log: everything must be compared."""
        self.files_removed = False
        """Whether the primary removed files: the copies must be removed, too."""

    async def follow(self) -> None:
        """Apply all events that the replica has."""
        while len(await self._apply_batch()) == BATCH:
            pass

    async def _apply_batch(self) -> list[LogRow]:
        async with self._registry.reading() as tx:
            cursor, gaps = await cursors.read_cursor(tx), await cursors.read_gaps(tx)
        async with self._services.database.reading() as tx:
            newest, _ = await last_event(tx) or (0, "")  # first: it may be pruned meanwhile
            pruned = await pruned_through(tx)
            followed = cursor is not None and pruned <= cursor.event_id <= max(newest, pruned)
            batch, late = list[LogRow](), list[LogRow]()
            if cursor is not None and followed:
                batch = await list_events(tx, cursor.event_id, BATCH)
                late = await list_late_events(tx, gaps) if gaps else []
        if cursor is None or not followed:
            await self._start_over(cursor)
        elif batch or late:
            await self._apply(cursor, [*late, *batch])
        return batch

    async def _start_over(self, cursor: CursorRow | None) -> None:
        """Set the cursor to the end of the log; what was changed before is found by comparing everything."""
        if cursor is not None:
            log.warning("the log does not continue where this node was: everything is compared with the primary")
        async with self._services.database.reading() as tx:
            pruned = await pruned_through(tx)
            event_id, event_at = await last_event(tx) or (pruned, None)
            first = max(pruned, event_id - LATE_ROWS)
            known = {row.id for row in await list_events(tx, first, LATE_ROWS)}
        missing = [id for id in range(first + 1, event_id) if id not in known]
        async with self._registry.transaction() as tx:
            await operations.mark_all(tx)
            if cursor is not None and event_id < cursor.event_id:
                await cursors.forget_cursor(tx)
            await cursors.start_cursor(tx, event_id, event_at, missing)
        self.started_over = True

    async def _apply(self, cursor: CursorRow, rows: Sequence[LogRow]) -> None:
        ids: dict[LogKind, set[int]] = defaultdict(set)
        for row in rows:
            ids[row.kind].add(row.object_id)
        await remove_projects(self._services, self._registry, self._primary, sorted(ids["repository_deleted"]))
        self.files_removed |= bool(ids["files_removed"])
        repositories = ids["repository_created"] | ids["repository_renamed"] | ids["repository_updated"]
        kinds: list[FileKind] = [kind for kind in file_kinds(self._services.product) if ids[kind]]
        files: dict[FileKind, dict[int, str]] = {}
        async with self._services.database.reading() as tx:
            existing, with_wiki = await find_wikis(tx, sorted(repositories | ids["wiki_updated"]))
            for kind in kinds:
                files[kind] = await find_files(tx, kind, sorted(ids[kind]))
        wikis = ids["wiki_updated"].union(*(ids[kind] for kind in _WITH_WIKI)) & with_wiki
        async with self._registry.transaction() as tx:
            await operations.mark_changed(tx, "repository", sorted(repositories & existing))
            await operations.mark_changed(tx, "wiki", sorted(wikis))
            for kind, found in files.items():
                await operations.mark_files(tx, kind, found)
                self.files_removed |= await operations.has_replaced(tx, kind, found, ids[kind])
            await cursors.advance(tx, cursor, rows)
