"""What was committed goes from SQLite's log into the database file beside the writes, so that no commit waits for it."""

from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress

import apsw

SOME = 1_000
"""Pages more in the log since the last time: worth a walk, in the background. SQLite alone would let a commit wait for it."""

MANY = 4 * SOME
"""Pages in the log after which a commit brings over the rest: with nobody writing, the log can begin anew."""


class Checkpoints:
    """Looks after the log of one database; `grown` is told its length by every commit of the writer."""

    def __init__(self, writer: apsw.Connection, connection: apsw.Connection) -> None:
        self._connection = connection
        self._thread = ThreadPoolExecutor(1, "mujina-checkpoint")
        self._running: Future[None] | None = None
        self._asked_at = 0
        writer.set_wal_hook(self.grown)

    def grown(self, writer: apsw.Connection, _name: str, pages: int) -> int:
        """A commit of the writer left so many pages in the log; on the thread of that commit, before it is answered."""
        self._asked_at = min(self._asked_at, pages)
        if pages >= MANY:
            self._asked_at = 0
            _bring_over(writer)
        elif pages - self._asked_at >= SOME and (self._running is None or self._running.done()):
            self._asked_at = pages
            self._running = self._thread.submit(_bring_over, self._connection)
        return apsw.SQLITE_OK

    def close(self) -> None:
        self._thread.shutdown()
        self._connection.close()


def _bring_over(connection: apsw.Connection) -> None:
    """As much as can be without waiting for anybody. What cannot stays in the log for the next time: it is durable there."""
    with suppress(apsw.Error):  # another process is at it, or the disk is full
        connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
