"""One session with PostgreSQL, which stays in the event loop's ear for as long as it lives.

psycopg enters its socket in the loop for each statement, with a timer, and takes both out again. That is a third of what
a small statement costs here, and a request has up to ten of them.
"""

import asyncio
from collections.abc import Generator
from contextlib import suppress
from typing import Any, TypeVar

import psycopg
from psycopg import AsyncConnection
from psycopg.abc import PQGen
from psycopg.errors import QueryCanceled
from psycopg.pq import TransactionStatus
from psycopg.waiting import Ready, Wait

Result = TypeVar("Result")

PATIENCE = 5.0
"""Seconds in which the server must have given up a statement nobody waits for."""


class Session(AsyncConnection[tuple[Any, ...]]):
    """Statements as psycopg makes them; what the server says is taken in where the event loop hears it."""

    _ear: int | None = None
    """The socket, while the loop listens to it."""
    _asking: tuple[PQGen[Any], asyncio.Future[Any]] | None = None

    async def wait(self, gen: PQGen[Result], interval: float = 0.1, timeout: float | None = None) -> Result:
        """Bring what was begun to its end; a statement that is cancelled is given up by the server too."""
        try:
            wanted = next(gen)
        except StopIteration as end:
            return end.value
        except BaseException:
            self._stop_listening()  # the connection may be gone, and its number another's
            raise
        if wanted != Wait.R or timeout is not None:  # only sending much asks to write, and it does so first
            self._stop_listening()
            return await super().wait(_going_on(gen, wanted), interval, timeout)
        try:
            return await self._answer(gen)
        except asyncio.CancelledError:
            await self._give_up(gen)
            raise

    async def close(self) -> None:
        self._stop_listening()
        await super().close()

    def _answer(self, gen: PQGen[Result]) -> "asyncio.Future[Result]":
        loop = asyncio.get_running_loop()
        if self._ear is None:
            self._ear = self.fileno()
            loop.add_reader(self._ear, self._hear)
        answer: asyncio.Future[Result] = loop.create_future()
        self._asking = gen, answer
        return answer

    def _hear(self) -> None:
        if self._asking is None:
            self._stop_listening()  # the server speaks unasked, of its end most likely: who uses the session next will see
            return
        gen, answer = self._asking
        if answer.cancelled():
            return  # `_give_up` comes next
        try:
            gen.send(Ready.R)
        except StopIteration as end:
            self._asking = None
            answer.set_result(end.value)
        except BaseException as error:  # noqa: BLE001 - it belongs to whoever asked
            self._stop_listening()
            answer.set_exception(error)

    def _stop_listening(self) -> None:
        self._asking = None
        if self._ear is not None:
            asyncio.get_running_loop().remove_reader(self._ear)
            self._ear = None

    async def _give_up(self, gen: PQGen[Any]) -> None:
        """The session is ready for its next statement, or closed."""
        self._stop_listening()
        if self.pgconn.transaction_status != TransactionStatus.ACTIVE:
            return
        try:
            await self.cancel_safe(timeout=PATIENCE)
            with suppress(QueryCanceled):
                await super().wait(_going_on(gen, Wait.R), timeout=PATIENCE)
        except psycopg.OperationalError:
            self.pgconn.finish()


def _going_on(gen: PQGen[Result], wanted: Wait) -> Generator[Wait, Ready | int, Result]:
    """What is left of something that has begun, and now waits for this."""
    try:
        while True:
            wanted = gen.send((yield wanted))
    except StopIteration as end:
        return end.value
