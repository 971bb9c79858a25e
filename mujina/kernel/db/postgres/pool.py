"""The sessions of one process: connected when they are needed, kept while they are used, closed when they idle for long.

Written by hand, because psycopg_pool has one queue for all callers, and reconnects with back-off: readers would wait behind
writers that wait for a row, and service would resume long after the database is back.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from select import POLLIN, poll
from time import monotonic

import psycopg
from psycopg import AsyncRawCursor
from psycopg.pq import TransactionStatus

from mujina.kernel.concurrency.fair_semaphore import FairSemaphore
from mujina.kernel.db.errors import DatabaseBusy, DatabaseUnavailable
from mujina.kernel.db.postgres.connection import PostgresConnection
from mujina.kernel.db.postgres.values import configure_values
from mujina.kernel.db.postgres.watch import ServerWatch, refused

WAIT_SECONDS = 4.0
"""For a session: until one is free, and until the server accepts it. Of those who wait to write, as long as no transaction
that they wait for ends with success."""

MAX_WAIT_SECONDS = 30.0
"""For a session in which to write, however many transactions end meanwhile."""

CONNECT_SECONDS = 3
RECONNECT_DELAY = 0.3
"""Seconds after a failed attempt to connect in which no other attempt is made: all requests of an outage share few."""

REFUSED_DELAY = 0.1
"""Seconds between attempts while the server has no session left for us."""

IDLE_SECONDS = 600.0
"""A session that was not used for this long is closed."""

_EXHAUSTED = "No connection to the database became free in time."
_LOST = "PostgreSQL cannot be reached."


class PostgresPool:
    """At most `sessions`, of which transactions use at most two thirds: readers never wait for those that wait for locks.

    Transactions with the same key, which are likely to wait for the same rows, use at most half of these.
    """

    def __init__(self, conninfo: str, sessions: int, *, direct: str | None = None, prepares: bool = True) -> None:
        """`direct` leads to the server itself if `conninfo` leads to a pooler, whose sessions change their server.

        Without `prepares`, no statement is prepared: the next one may run on another server.
        """
        self._conninfo = conninfo
        self._prepares = prepares
        self._idle: list[tuple[PostgresConnection, float]] = []
        self._slots = asyncio.Semaphore(sessions)
        writers = max(1, sessions * 2 // 3)
        self._writers = FairSemaphore(writers, per_key=max(1, (writers + 1) // 2))
        self._waiting: dict[asyncio.Timeout, tuple[str, float]] = {}
        """The waiting writers: the key of each, and its deadline."""
        self._unreachable_until = 0.0
        self._watch = ServerWatch(direct or conninfo)

    @asynccontextmanager
    async def reader(self, deadline: float | None = None) -> AsyncGenerator[PostgresConnection]:
        """A session for reading."""
        deadline = deadline or monotonic() + WAIT_SECONDS
        try:
            # Setting a timer costs more than a small statement: most requests do not wait.
            async with asyncio.timeout(deadline - monotonic() if self._slots.locked() else None):
                await self._slots.acquire()
        except TimeoutError as error:
            raise DatabaseBusy(_EXHAUSTED) from error
        try:
            connection = await self._session(deadline)
            try:
                yield connection
            finally:
                await self._give_back(connection)
        finally:
            self._slots.release()

    @asynccontextmanager
    async def writer(self, key: str) -> AsyncGenerator[PostgresConnection]:
        """A session for one transaction."""
        if self._writers.full(key):
            await self._wait_to_write(key)
        else:
            await self._writers.acquire(key)
        try:
            async with self.reader() as connection:
                yield connection
            if self._waiting:
                self._extend_waits(key)
        finally:
            self._writers.release(key)

    async def _wait_to_write(self, key: str) -> None:
        """Get a slot among the writers. A crowd that is served waits for its turn; one that is not gives up soon."""
        timeout = asyncio.timeout(WAIT_SECONDS)
        try:
            async with timeout:
                self._waiting[timeout] = key, asyncio.get_running_loop().time() + MAX_WAIT_SECONDS
                await self._writers.acquire(key)
        except TimeoutError as error:
            raise DatabaseBusy(_EXHAUSTED) from error
        finally:
            self._waiting.pop(timeout, None)

    def _extend_waits(self, ended: str) -> None:
        """A transaction of this key was successful: those who wait for such a one wait on."""
        until = asyncio.get_running_loop().time() + WAIT_SECONDS
        for timeout, (key, latest) in self._waiting.items():
            if key == ended or not self._writers.full_of(key):
                timeout.reschedule(min(until, latest))

    async def close(self) -> None:
        self._watch.close()
        while self._idle:
            await self._idle.pop()[0].close()

    async def connect(self, conninfo: str) -> PostgresConnection:
        """A new session, beside those of the pool."""
        deadline = monotonic() + WAIT_SECONDS
        while True:
            try:
                return await self._connect(conninfo, deadline)
            except _SessionRefused:
                if monotonic() > deadline:
                    raise
                await asyncio.sleep(REFUSED_DELAY)

    async def _connect(self, conninfo: str, deadline: float) -> PostgresConnection:
        """During an outage the failure is known without another attempt."""
        if self._watch.unresponsive or monotonic() < self._unreachable_until:
            raise DatabaseUnavailable(_LOST)
        try:
            async with asyncio.timeout(deadline - monotonic()):
                connection = await PostgresConnection.connect(
                    conninfo,
                    autocommit=True,
                    prepare_threshold=None,  # `PreparedStatements` decides
                    cursor_factory=AsyncRawCursor,
                )
        except (TimeoutError, psycopg.OperationalError) as error:
            if isinstance(error, psycopg.OperationalError) and refused(error):
                raise _SessionRefused(_LOST) from error
            if isinstance(error, TimeoutError | psycopg.errors.ConnectionTimeout):
                self._watch.suspect()
            self._unreachable_until = monotonic() + RECONNECT_DELAY
            raise DatabaseUnavailable(_LOST) from error
        self._watch.add(connection)
        return connection

    async def _session(self, deadline: float) -> PostgresConnection:
        """An idle session or a new one. If the server refuses a new one, wait: other sessions become idle or end."""
        while True:
            if self._watch.unresponsive:
                raise DatabaseUnavailable(_LOST)
            self._watch.start()
            while self._idle:
                connection, _ = self._idle.pop()
                if not closed_by_server(connection):
                    return connection
                await connection.close()
            try:
                connection = await self._connect(self._conninfo, deadline)
            except _SessionRefused:
                if monotonic() > deadline:
                    raise
                await asyncio.sleep(REFUSED_DELAY)
            else:
                configure_values(connection)
                connection.prepared.enabled = self._prepares
                return connection

    async def _give_back(self, connection: PostgresConnection) -> None:
        now = monotonic()
        if connection.closed or connection.pgconn.transaction_status != TransactionStatus.IDLE:
            await connection.close()
        else:
            self._idle.append((connection, now))
        if self._idle and now - self._idle[0][1] > IDLE_SECONDS:
            await self._idle.pop(0)[0].close()


class _SessionRefused(DatabaseUnavailable):
    """The server answered, and refused another session."""


def closed_by_server(connection: PostgresConnection) -> bool:
    """Whether the server closed this idle connection, as at a restart: an idle socket is readable only then."""
    if connection.closed:
        return True
    if connection.pgconn.transaction_status == TransactionStatus.ACTIVE:  # what is readable is a result
        return False
    poller = poll()
    poller.register(connection.fileno(), POLLIN)
    return bool(poller.poll(0))
