"""One connection to PostgreSQL, which stays registered with the event loop for as long as it is open.

psycopg registers its socket for each statement, with a timer, and removes both again. That is a third of the cost of a
small statement, and a request has up to ten of them.
"""

import asyncio
from collections.abc import Generator, Sequence
from contextlib import suppress
from time import monotonic
from typing import Any, NamedTuple, TypeVar

import psycopg
from psycopg import AsyncConnection
from psycopg._preparing import PrepareManager
from psycopg.abc import PQGen
from psycopg.errors import QueryCanceled
from psycopg.pq import TransactionStatus
from psycopg.pq.abc import PGconn, PGresult
from psycopg.waiting import Ready, Wait

from mujina.kernel.db.postgres_statements import PostgresStatements

Result = TypeVar("Result")

CANCEL_TIMEOUT = 5.0
"""Seconds in which the server must have cancelled a statement."""


class PostgresConnection(AsyncConnection[tuple[Any, ...]]):
    """A connection of psycopg that reads results when the event loop reports its socket as readable."""

    _fd: int | None = None
    """The socket, while it is registered with the loop."""
    _pending: tuple[PQGen[Any], asyncio.Future[Any]] | None = None
    busy_since: float | None = None
    """When the statement was sent that the server has not answered yet."""

    def __init__(self, pgconn: PGconn, *more: Any, **options: Any) -> None:
        super().__init__(pgconn, *more, **options)
        self._prepared = _LastingStatements()
        self._statements: PostgresStatements | None = None

    async def run(self, text: str, arguments: Sequence[Any]) -> PGresult:
        """Run one statement; its result."""
        async with self.lock:
            return await self.wait(self._runner().run(text, arguments))

    def rows(self, result: PGresult) -> list[tuple[Any, ...]]:
        """The rows of a result."""
        return self._runner().rows(result)

    def _runner(self) -> PostgresStatements:
        # Not earlier: it converts values as the connection was told to until then.
        if self._statements is None:
            self._statements = PostgresStatements(self, self._prepared)
        return self._statements

    async def wait(self, gen: PQGen[Result], interval: float = 0.1, timeout: float | None = None) -> Result:
        """Run the generator to its end; when the task is cancelled, the server cancels the statement too."""
        try:
            state = next(gen)
        except StopIteration as end:
            return end.value
        except BaseException:
            self._unregister()  # the socket may be closed, and its number reused
            raise
        self.busy_since = monotonic()
        try:
            if state == Wait.R and timeout is None:
                try:
                    answer = await self._answer(gen)
                except asyncio.CancelledError:
                    await self._cancel(gen)
                    raise
                if not isinstance(answer, _Unsent):
                    return answer
                state = answer.state
            # A large statement waits for writing: at once, or after it was prepared.
            self._unregister()
            return await super().wait(_resumed(gen, state), interval, timeout)
        finally:
            self.busy_since = None

    async def close(self) -> None:
        self._unregister()
        await super().close()

    def _answer(self, gen: PQGen[Result]) -> "asyncio.Future[Result | _Unsent]":
        loop = asyncio.get_running_loop()
        if self._fd is None:
            self._fd = self.fileno()
            loop.add_reader(self._fd, self._on_readable)
        answer: asyncio.Future[Result | _Unsent] = loop.create_future()
        self._pending = gen, answer
        return answer

    def _on_readable(self) -> None:
        if self._pending is None:
            self._unregister()  # unexpected data, most likely of a shutdown: the next statement will see it
            return
        gen, answer = self._pending
        if answer.cancelled():
            return  # `_cancel` comes next
        try:
            state = gen.send(Ready.R)
            if state != Wait.R:
                self._pending = None
                answer.set_result(_Unsent(state))
        except StopIteration as end:
            self._pending = None
            answer.set_result(end.value)
        except BaseException as error:  # noqa: BLE001 - it belongs to the caller
            self._unregister()
            answer.set_exception(error)

    def _unregister(self) -> None:
        self._pending = None
        if self._fd is not None:
            asyncio.get_running_loop().remove_reader(self._fd)
            self._fd = None

    async def _cancel(self, gen: PQGen[Any]) -> None:
        """Cancel the statement; afterwards the connection is ready for the next one, or closed."""
        self._unregister()
        if self.pgconn.transaction_status != TransactionStatus.ACTIVE:
            return
        try:
            await self.cancel_safe(timeout=CANCEL_TIMEOUT)
            with suppress(QueryCanceled):
                await super().wait(_resumed(gen, Wait.R), timeout=CANCEL_TIMEOUT)
        except psycopg.OperationalError:
            self.pgconn.finish()


class _LastingStatements(PrepareManager):
    """Prepared statements last when a transaction is rolled back, which PostgreSQL does too.

    psycopg drops them, in case the transaction has changed the schema; ours never do. Without this, each request that is
    refused within its transaction would make the next ones on its connection plan all their statements again.
    """

    def clear(self) -> bool:
        return False


class _Unsent(NamedTuple):
    """The statement is not sent whole: the rest of it waits until the socket can be written."""

    state: Wait


def _resumed(gen: PQGen[Result], state: Wait) -> Generator[Wait, Ready | int, Result]:
    """The rest of a generator that has started and waits for `state`."""
    try:
        while True:
            state = gen.send((yield state))
    except StopIteration as end:
        return end.value
