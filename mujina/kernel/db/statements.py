"""The methods of a transaction, written once; an engine adds `fetch`."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from logging import getLogger
from typing import Any, LiteralString, cast

from mujina.kernel.db.rows import read_row, read_rows
from mujina.kernel.db.transaction import Callback, Database, Shape, Value
from mujina.kernel.product import Product
from mujina.settings import Settings

log = getLogger(__name__)

Rows = list[tuple[Any, ...]]
_PLAIN = tuple[Any, ...]
"""The shape of rows that need no conversion."""


class Statements(ABC):
    """Rows are converted to the requested shape, alike for both engines."""

    _database: Database

    @property
    def product(self) -> Product:
        return self._database.product

    @property
    def settings(self) -> Settings:
        return self._database.settings

    @abstractmethod
    async def fetch(self, sql: str, bound: Mapping[str, Value]) -> Rows:
        """Run one statement to its end; its rows."""

    async def rows(self, shape: type[Shape], sql: LiteralString, /, **bound: Value) -> list[Shape]:
        found = await self.fetch(sql, bound)
        return cast("list[Shape]", found) if shape == _PLAIN else read_rows(shape, found)

    async def row(self, shape: type[Shape], sql: LiteralString, /, **bound: Value) -> Shape | None:
        found = await self.fetch(sql, bound)
        return read_row(shape, found[0]) if found else None

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
