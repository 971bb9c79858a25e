"""Notices a PostgreSQL that accepts connections and answers nothing: its processes are stopped, or its machine hangs.

A connection does not show this; a slow statement looks the same. So when a statement takes long, we ask the server
to be connected once more. If that is not answered either, waiting statements fail, and further requests fail at once
until the server answers again.
"""

import asyncio
import os
import socket
from contextlib import suppress
from select import POLLIN, poll
from time import monotonic

import psycopg

from mujina.kernel.db.postgres.connection import PostgresConnection

SLOW_SECONDS = 1.5
"""A statement that takes longer makes us ask."""

ANSWER_SECONDS = 1.5
"""The server has this long to accept another connection."""

INTERVAL = 0.5
RETRY_DELAY = 0.2


class ServerWatch:
    """Watches the connections of one pool; costs a timer while they are used."""

    def __init__(self, conninfo: str) -> None:
        self.unresponsive = False
        self._conninfo = conninfo
        self._connections: set[PostgresConnection] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._asking: asyncio.Task[None] | None = None
        self._answered_at = 0.0

    def add(self, connection: PostgresConnection) -> None:
        self._connections.add(connection)

    def start(self) -> None:
        """Watch until no connection is busy."""
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(INTERVAL, self._look)

    def suspect(self) -> None:
        """Ask the server now."""
        if self._asking is None:
            self._asking = asyncio.create_task(self._ask())

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self._asking is not None:
            self._asking.cancel()

    def _look(self) -> None:
        self._timer = None
        self._connections = {connection for connection in self._connections if not connection.closed}
        busy = [since for connection in self._connections if (since := connection.busy_since) is not None]
        if busy:
            if monotonic() - max(min(busy), self._answered_at) > SLOW_SECONDS:
                self.suspect()
            self.start()

    async def _ask(self) -> None:
        try:
            while not await self._answers():
                self.unresponsive = True
                for connection in self._connections:
                    _cut(connection)
                await asyncio.sleep(RETRY_DELAY)
            self._answered_at = monotonic()
        finally:
            self.unresponsive = False
            self._asking = None

    async def _answers(self) -> bool:
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                connection = await PostgresConnection.connect(self._conninfo)
        except TimeoutError:
            return False
        except psycopg.OperationalError as error:
            return refused(error)
        await connection.close()
        return True


def refused(error: psycopg.OperationalError) -> bool:
    """Whether the server itself refused the session, because it has too many or is starting: it is there."""
    return "FATAL:" in str(error)


def _cut(connection: PostgresConnection) -> None:
    """End the connection if it waits for an answer and none has come; the waiting statement raises an error."""
    if connection.closed or connection.busy_since is None:
        return
    fd = connection.fileno()
    poller = poll()
    poller.register(fd, POLLIN)
    if not poller.poll(0):
        with socket.socket(fileno=os.dup(fd)) as wire, suppress(OSError):
            wire.shutdown(socket.SHUT_RDWR)
