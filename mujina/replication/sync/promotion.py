"""The objects that a secondary lacks when it becomes the primary: they cannot be copied any more."""

from collections.abc import AsyncIterator

import msgspec

from mujina.kernel.db.transaction import Database, Tx
from mujina.planning.storage.files import file_kinds, list_files
from mujina.replication.log.rules import LogRow, list_events, list_late_events
from mujina.replication.registry.cursor import read_cursor, read_gaps

BATCH = 1_000


class MissingCopies(msgspec.Struct, frozen=True):
    """The objects that the database knows and the folders of this node may lack."""

    projects: list[str]
    """Paths of projects whose repository or wiki was not copied, or changed since."""
    files: int


async def find_missing_copies(database: Database, registry: Database) -> MissingCopies:
    """Compare the database with what was copied; changes that the log names but were not applied count as not copied."""
    async with registry.reading() as tx:
        cursor, gaps = await read_cursor(tx), await read_gaps(tx)
        copied = set(
            await tx.values(
                """SELECT r.project_id FROM replicated_repositories r WHERE r.kind = 'repository' AND NOT r.dirty
                   AND NOT EXISTS (SELECT 1 FROM replicated_repositories w
                       WHERE w.project_id = r.project_id AND w.kind = 'wiki' AND w.dirty)"""
            )
        )
        stored = set(await tx.values("SELECT f.key FROM replicated_files f WHERE f.succeeded"))
    async with database.reading() as tx:
        changed = {row.object_id async for row in _unapplied(tx, 0 if cursor is None else cursor.event_id, gaps)}
        projects = await tx.rows(
            tuple[int, str],
            """SELECT p.id, r.path FROM projects p JOIN routes r ON r.project_id = p.id WHERE p.deleted_at IS NULL
               ORDER BY r.path""",
        )
        files = await _count_missing(tx, stored)
    return MissingCopies([path for id, path in projects if id not in copied or id in changed], files)


async def _unapplied(tx: Tx, after: int, gaps: list[int]) -> AsyncIterator[LogRow]:
    """The entries of the log about repositories and wikis that were not applied."""
    batch = await list_late_events(tx, gaps) if gaps else []
    while True:
        for row in batch:
            if row.kind.startswith(("repository_", "wiki_")):
                yield row
        batch = await list_events(tx, after, BATCH)
        if not batch:
            return
        after = batch[-1].id


async def _count_missing(tx: Tx, stored: set[str]) -> int:
    """How many files the database knows that are not among these."""
    missing = set[str]()
    for kind in file_kinds(tx.product):
        after = 0
        while batch := await list_files(tx, kind, after, BATCH):
            missing |= {key for _, key in batch if key not in stored}
            after = batch[-1][0]
    return len(missing)
