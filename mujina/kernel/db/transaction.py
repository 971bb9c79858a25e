"""The interface of both engines: transactions and reads that do not depend on the engine."""

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from contextvars import ContextVar
from typing import Any, Literal, LiteralString, Protocol, TypeVar

from mujina.kernel.product import Product
from mujina.settings import Settings

Value = str | int | float | bool | bytes | None | Sequence[int] | Sequence[str]
"""The values that may be bound to a `:name`; sequences only behind `IN` and `NOT IN`."""

Engine = Literal["sqlite", "postgres"]

Callback = Callable[[], None]

Shape = TypeVar("Shape")

contention_key: ContextVar[str] = ContextVar("contention_key", default="")
"""Names the rows that the transactions of a request are likely to lock: those of one key use only a part of the sessions.

Of a path the first four segments count, such as `/api/v4/projects/7`.
"""


class Tx(Protocol):
    """Statements of one transaction; each is written once for both engines (see `text.py`)."""

    engine: Engine
    reads_committed: bool
    """Whether it only reads, and so sees nothing that is not committed."""

    @property
    def product(self) -> Product:
        """The product that reads or writes: what it knows of its chapters."""
        ...

    @property
    def settings(self) -> Settings:
        """The settings of the instance that reads or writes."""
        ...

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
        """Run one statement for each set of bound values, at the latest before the next statement, which raises an error of it.

        PostgreSQL gets both at once.
        """
        ...

    def savepoint(self) -> AbstractAsyncContextManager[None]:
        """A block that may fail alone: an exception undoes its statements; if it is caught, the transaction goes on."""
        ...

    def after_commit(self, callback: Callback, /) -> None:
        """Call `callback` once the transaction is durable; never when it rolls back. Not for work that must not be lost."""
        ...


class Database(Protocol):
    """One database of either engine."""

    engine: Engine
    product: Product
    """The product that works on it; set when the services are built. A command that only reads rows does without."""
    settings: Settings
    """The settings of the instance, set with the product."""
    statements: int
    """The number of statements that this process has run; the cost of a request is the difference."""

    def reading(self) -> AbstractAsyncContextManager[Tx]:
        """Autocommit reads of few rows, or along an index: each statement sees the newest committed state.

        On SQLite they run on the event loop: a statement that looks through many rows belongs to `searching`.
        """
        ...

    def transaction(self) -> AbstractAsyncContextManager[Tx]:
        """One transaction: durable when the block ends, rolled back when it raises.

        Inside, await nothing but the database: other writers wait for this block.
        """
        ...

    def searching(self) -> AbstractAsyncContextManager[Tx]:
        """Like `reading`, for statements that look through many more rows than they return: words, wide filters, figures.

        They run off the event loop on SQLite, and with plans for their values on PostgreSQL.
        """
        ...

    def listen(self, channel: LiteralString, /) -> AsyncGenerator[None]:
        """Once when it starts to listen, then soon after each `pg_notify` on the channel; on SQLite, after every commit."""
        ...

    async def open(self) -> None: ...

    async def close(self) -> None: ...
