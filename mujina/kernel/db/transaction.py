"""What both engines offer: a way to read, a way to write, and nothing that tells them apart."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Literal, LiteralString, Protocol, TypeVar

Value = str | int | float | bool | bytes | None | Sequence[int] | Sequence[str]
"""What may be bound to a `:name`; sequences only behind `IN` and `NOT IN`."""

Engine = Literal["sqlite", "postgres"]

Shape = TypeVar("Shape")


class Tx(Protocol):
    """Statements that see each other; written once for both engines (see `text.py`)."""

    engine: Engine

    async def rows(self, shape: type[Shape], sql: LiteralString, /, **bound: Value) -> list[Shape]:
        """Every row, each turned into `shape` (a msgspec struct with `array_like=True`, or a tuple type)."""
        ...

    async def row(self, shape: type[Shape], sql: LiteralString, /, **bound: Value) -> Shape | None:
        """The first row turned into `shape`, or None."""
        ...

    async def values(self, sql: LiteralString, /, **bound: Value) -> list[Any]:
        """The first column of every row."""
        ...

    async def value(self, sql: LiteralString, /, **bound: Value) -> Any:
        """The first column of the first row, or None."""
        ...

    async def run(self, sql: LiteralString, /, **bound: Value) -> int:
        """Run a statement for its effect; how many rows it changed."""
        ...

    async def run_each(self, sql: LiteralString, each: Sequence[Mapping[str, Value]], /) -> None:
        """Run one statement for each set of bound values."""
        ...

    def savepoint(self) -> AbstractAsyncContextManager[None]:
        """A block that may fail alone: raising undoes its statements, and the transaction goes on if it is caught."""
        ...

    def after_commit(self, wake: "Wake", /) -> None:
        """Call `wake` once the transaction is durable; never when it rolls back. Not for work that must not be lost."""
        ...


class Wake(Protocol):
    def __call__(self) -> None: ...


class Database(Protocol):
    """One database of either engine."""

    engine: Engine
    statements: int
    """How many statements ran so far in this process: what a request cost is the difference."""

    def reading(self) -> AbstractAsyncContextManager[Tx]:
        """Autocommit reads: each statement sees the newest committed state."""
        ...

    def transaction(self) -> AbstractAsyncContextManager[Tx]:
        """One transaction: durable when the block is left, gone when it raises.

        Inside, await nothing but the database: other writers wait for this block.
        """
        ...

    def searching(self) -> AbstractAsyncContextManager[Tx]:
        """Reads that may take long: off the event loop on SQLite, custom plans on PostgreSQL."""
        ...

    def listen(self, channel: LiteralString, /) -> AsyncGenerator[None]:
        """Once as soon as it hears, then soon after each `pg_notify` on the channel; SQLite hears every commit as one."""
        ...

    async def open(self) -> None: ...

    async def close(self) -> None: ...
