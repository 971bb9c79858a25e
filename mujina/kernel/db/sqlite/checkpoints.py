"""SQLite's log is copied into the database file in the background, so that no commit waits for it."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress

import apsw

BACKGROUND_PAGES = 1_000
"""The number of new pages after which a thread copies the log: SQLite alone would let a commit wait for that."""

MAX_PAGES = 4 * BACKGROUND_PAGES
"""The number of pages after which a commit copies the rest: with no other writer, the log can start again."""


class Checkpoints:
    """Checkpoints of one database; every commit of the writer calls `grown` with the length of the log.

    They have a connection of their own, from the first one on: opening it reads the whole schema.
    """

    def __init__(self, writer: apsw.Connection, connect: Callable[[], apsw.Connection]) -> None:
        self._connect = connect
        self._connection: apsw.Connection | None = None
        self._thread = ThreadPoolExecutor(1, "mujina-checkpoint")
        self._running: Future[None] | None = None
        self._asked_at = 0
        writer.set_wal_hook(self.grown)

    def grown(self, writer: apsw.Connection, _name: str, pages: int) -> int:
        """The log has this number of pages after a commit; runs on the thread of that commit."""
        self._asked_at = min(self._asked_at, pages)
        if pages >= MAX_PAGES:
            self._asked_at = 0
            if self._running is not None:  # only one can copy at a time: on a slow disk the log would grow meanwhile
                wait([self._running])
            _checkpoint(writer)
        elif pages - self._asked_at >= BACKGROUND_PAGES and (self._running is None or self._running.done()):
            self._asked_at = pages
            self._running = self._thread.submit(self._copy)
        return apsw.SQLITE_OK

    def _copy(self) -> None:
        with suppress(apsw.Error):
            self._connection = self._connection or self._connect()
            _checkpoint(self._connection)

    def close(self) -> None:
        self._thread.shutdown()
        if self._connection is not None:
            self._connection.close()


def _checkpoint(connection: apsw.Connection) -> None:
    """Copy as much as possible without waiting. The rest stays in the log, where it is durable, until the next time."""
    with suppress(apsw.Error):  # another process runs one, or the disk is full
        connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
