"""A database that is a read-only replica of another."""

from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from contextvars import ContextVar
from typing import LiteralString

from mujina.kernel.db.errors import TemporaryFailure
from mujina.kernel.db.transaction import Database, Engine, Tx
from mujina.kernel.product import Product
from mujina.settings import Settings


class ReadOnlyReplica(TemporaryFailure):
    """A transaction was to write to a replica."""

    def __init__(self) -> None:
        super().__init__("This database is a read-only replica.")


class WriteAttempt:
    """Whether a request has tried to write, or may lack something here: then the primary has to answer it."""

    made = False


write_attempt: ContextVar[WriteAttempt | None] = ContextVar("write_attempt", default=None)
"""That of the current request."""


def ask_primary() -> None:
    """Let the primary answer the current request, if this is a secondary."""
    if (attempt := write_attempt.get()) is not None:
        attempt.made = True


class ReplicaDatabase:
    """Reads like the database that it wraps; a transaction raises `ReadOnlyReplica` before its first statement."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.engine: Engine = database.engine
        self.product: Product = database.product
        self.settings: Settings = database.settings

    @property
    def statements(self) -> int:
        return self._database.statements

    @statements.setter
    def statements(self, count: int) -> None:
        self._database.statements = count

    def reading(self) -> AbstractAsyncContextManager[Tx]:
        return self._database.reading()

    def searching(self) -> AbstractAsyncContextManager[Tx]:
        return self._database.searching()

    @asynccontextmanager
    async def transaction(self) -> AsyncGenerator[Tx]:
        ask_primary()
        raise ReadOnlyReplica
        yield  # pyright: ignore[reportUnreachable] - makes this a generator

    def listen(self, channel: LiteralString, /) -> AsyncGenerator[None]:
        return self._database.listen(channel)

    async def open(self) -> None:
        await self._database.open()

    async def close(self) -> None:
        await self._database.close()
