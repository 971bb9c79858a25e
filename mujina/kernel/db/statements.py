"""The methods of a transaction, written once; an engine adds `fetch`."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from functools import cache
from logging import getLogger
from types import GenericAlias
from typing import Any, LiteralString, Protocol, cast

from msgspec import convert

from mujina.kernel.db.transaction import Callback, Shape, Value
from mujina.kernel.product import Product

log = getLogger(__name__)

Rows = list[tuple[Any, ...]]


class Counting(Protocol):
    """The database that statements belong to."""

    statements: int
    product: Product


class Statements(ABC):
    """Rows are converted to the requested shape, alike for both engines."""

    _database: Counting

    @property
    def product(self) -> Product:
        return self._database.product

    @abstractmethod
    async def fetch(self, sql: str, bound: Mapping[str, Value]) -> Rows:
        """Run one statement to its end; its rows."""

    async def rows(self, shape: type[Shape], sql: LiteralString, /, **bound: Value) -> list[Shape]:
        found = await self.fetch(sql, bound)
        kind = _list_of(shape)
        return convert(found, kind, strict=False) if kind else cast("list[Shape]", found)

    async def row(self, shape: type[Shape], sql: LiteralString, /, **bound: Value) -> Shape | None:
        found = await self.fetch(sql, bound)
        return convert(found[0], shape, strict=False) if found else None

    async def values(self, sql: LiteralString, /, **bound: Value) -> list[Any]:
        return [row[0] for row in await self.fetch(sql, bound)]

    async def value(self, sql: LiteralString, /, **bound: Value) -> Any:
        found = await self.fetch(sql, bound)
        return found[0][0] if found else None


def run_callbacks(callbacks: Iterable[Callback]) -> None:
    """Call each; an error is logged and does not undo the commit."""
    for callback in callbacks:
        try:
            callback()
        except Exception:
            log.exception("a call after commit failed")


@cache
def _list_of(shape: type) -> Any:
    """The type to convert a list of such rows to; None for plain tuples, which need no conversion."""
    return None if shape == tuple[Any, ...] else GenericAlias(list, (shape,))
