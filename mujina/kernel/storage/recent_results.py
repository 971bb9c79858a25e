"""Recent results in memory, limited by their size."""

from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

Result = TypeVar("Result")


class RecentResults(Generic[Result]):
    """Keeps the results that were used last, up to `max_size` characters altogether."""

    def __init__(self, max_size: int) -> None:
        self._max_size = max_size
        self._size = 0
        self._results: OrderedDict[Hashable, tuple[Result, int]] = OrderedDict()

    def get(self, key: Hashable) -> Result | None:
        kept = self._results.get(key)
        if kept is None:
            return None
        self._results.move_to_end(key)
        return kept[0]

    def put(self, key: Hashable, result: Result, size: int) -> None:
        """Keep it, unless it is larger than an eighth of all that is kept."""
        if size > self._max_size // 8 or key in self._results:
            return
        self._results[key] = result, size
        self._size += size
        while self._size > self._max_size:
            self._size -= self._results.popitem(last=False)[1][1]
