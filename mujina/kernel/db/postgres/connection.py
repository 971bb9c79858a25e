"""One connection to PostgreSQL, which stays registered with the event loop for as long as it is open.

psycopg registers its socket for each statement, with a timer, and removes both again. That is a third of the cost of a
small statement, and a request has up to ten of them.

Each wait for the server also costs two switches of processes, and while a transaction waits, others wait for the rows that
it has locked. So statements whose result is not read are queued, and sent together with the next one.
"""

import asyncio
from collections.abc import AsyncGenerator, Generator, Sequence
from contextlib import asynccontextmanager, suppress
from time import monotonic
from typing import Any, NamedTuple, TypeVar

import psycopg
from psycopg import AsyncConnection
from psycopg.abc import PQGen
from psycopg.errors import QueryCanceled
from psycopg.pq import ConnStatus, TransactionStatus
from psycopg.pq.abc import PGconn, PGresult
from psycopg.waiting import Ready, Wait

from mujina.kernel.db.postgres.statements import Converted, PostgresStatements, PreparedStatements

Result = TypeVar("Result")

CANCEL_TIMEOUT = 5.0
"""Seconds in which the server must have canceled a statement."""


class PostgresConnection(AsyncConnection[tuple[Any, ...]]):
    """A connection of psycopg that reads results when the event loop reports its socket as readable."""

    _fd: int | None = None
    """The socket, while it is registered with the loop."""
    _pending: tuple[PQGen[Any], asyncio.Future[Any]] | None = None
    busy_since: float | None = None
    """When the statement was sent that the server has not answered yet."""

    def __init__(self, pgconn: PGconn, *more: Any, **options: Any) -> None:
        super().__init__(pgconn, *more, **options)
        self.prepared = PreparedStatements()
        self._statements: PostgresStatements | None = None
        self._queued: list[Converted] = []

    @asynccontextmanager
    async def lazy_transaction(self) -> AsyncGenerator[None]:
        """A transaction that begins with its first statement, and commits together with those that are queued at its end."""
        begin = self._runner().converted("BEGIN", ())
        self._queued = [begin]
        try:
            yield
            if self._queued != [begin]:
                await self._commit()
            self._queued.clear()
        except BaseException:
            self._queued.clear()
            await self._roll_back()
            raise

    @asynccontextmanager
    async def savepoint(self) -> AsyncGenerator[None]:
        """A block whose statements are undone if it raises."""
        await self.run_queued()
        async with self.transaction():
            try:
                yield
                await self.run_queued()
            except BaseException:
                self._queued.clear()
                raise

    def queue(self, text: str, arguments: Sequence[Any]) -> None:
        """Run the statement together with the next one, which raises its error, or with the COMMIT."""
        self._queued.append(self._runner().converted(text, arguments))

    async def run(self, text: str, arguments: Sequence[Any]) -> PGresult:
        """Run one statement, after those that are queued; its result."""
        self.queue(text, arguments)
        return await self._run_queued()

    async def run_queued(self) -> None:
        """Run the statements that are queued."""
        if self._queued:
            await self._run_queued()

    async def _run_queued(self) -> PGresult:
        statements, self._queued = self._queued, []
        async with self.lock:
            return await self.wait(self._runner().run(statements))

    async def _commit(self) -> None:
        """COMMIT; after an error that was caught without a savepoint the server rolls back instead, and that is an error."""
        if (await self.run("COMMIT", ())).command_status != b"COMMIT":
            raise psycopg.errors.InFailedSqlTransaction("a statement failed, so nothing was committed")

    async def _roll_back(self) -> None:
        """If that fails, the pool closes the connection."""
        if self.pgconn.status == ConnStatus.OK and self.pgconn.transaction_status != TransactionStatus.IDLE:
            with suppress(psycopg.Error):
                await self.run("ROLLBACK", ())

    def rows(self, result: PGresult) -> list[tuple[Any, ...]]:
        """The rows of a result."""
        return self._runner().rows(result)

    def _runner(self) -> PostgresStatements:
        # Not earlier: it converts values as the connection was told to until then.
        if self._statements is None:
            self._statements = PostgresStatements(self, self.prepared)
        return self._statements

    async def wait(self, gen: PQGen[Result], interval: float = 0.1, timeout: float | None = None) -> Result:
        """Run the generator to its end; when the task is canceled, the server cancels the statement too."""
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
        """Cancel the statement; afterward the connection is ready for the next one, or closed."""
        self._unregister()
        if self.pgconn.transaction_status != TransactionStatus.ACTIVE:
            return
        try:
            await self.cancel_safe(timeout=CANCEL_TIMEOUT)
            with suppress(QueryCanceled, psycopg.IntegrityError):  # the statement may have failed before
                await super().wait(_resumed(gen, Wait.R), timeout=CANCEL_TIMEOUT)
        except psycopg.OperationalError:
            self.pgconn.finish()


class _Unsent(NamedTuple):
    """The statement is not sent whole: the rest of it waits until the socket can be written."""

    state: Wait


def _resumed(gen: PQGen[Result], state: Wait) -> Generator[Wait, Ready | int, Result]:
    """The rest of a generator that has started and waits for `state`."""
    try:
        while True:
            # psycopg starts it once more, with None, to read the rest after a cancellation; its parts take numbers only.
            state = gen.send((yield state) or Ready.NONE)
    except StopIteration as end:
        return end.value
