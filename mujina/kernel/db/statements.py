"""The verbs of a transaction, written once over the one thing an engine must bring: `fetch`."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from functools import cache
from logging import getLogger
from types import GenericAlias
from typing import Any, LiteralString, cast

from msgspec import convert

from mujina.kernel.db.transaction import Shape, Value, Wake

log = getLogger(__name__)

Rows = list[tuple[Any, ...]]


class Statements(ABC):
    """Rows come back in the shape that was asked for, whichever engine gave them."""

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


def announce(wakes: Iterable[Wake]) -> None:
    """Call each; what was committed stays so, whatever they do."""
    for wake in wakes:
        try:
            wake()
        except Exception:
            log.exception("a call after commit failed")


@cache
def _list_of(shape: type) -> Any:
    """What to convert a list of such rows to; None where they are wanted as they come."""
    return None if shape == tuple[Any, ...] else GenericAlias(list, (shape,))
