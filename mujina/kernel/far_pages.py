"""Far pages of long lists: reached from the nearer end, or from a place that an earlier page has found.

Skipping rows costs time for each of them. A process therefore remembers where pages of a list began and ended, by the ids of
their rows, and starts there. That is right only while the list is what it was: the memory of a list counts for the state of
the database in which it was read (`Tx.snapshot`), and a statement that turns out to have seen another state is repeated
without it. An engine that does not name its states uses the ends alone.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import LiteralString, cast

import msgspec

from mujina.kernel.db.selection import Selection
from mujina.kernel.db.transaction import CommittedState, Tx, Value
from mujina.kernel.paging import Page, backwards

KNOWN_TOTAL: LiteralString = "SELECT CAST(:total AS bigint)"
"""For a total that is bound as `:total`."""

MAX_LISTS = 1_000
MAX_PLACES = 50
"""For each list."""


class Walk(msgspec.Struct, frozen=True):
    """How a statement reaches a page."""

    order: LiteralString
    count: LiteralString
    """A statement for the total."""
    bound: dict[str, Value]
    since: LiteralString = ""
    """A condition that leaves out what lies before a known place."""
    total: int | None = None
    """The total for which the way is right; None: any."""
    snapshot: CommittedState | None = None
    """The state for which it is right; None: any."""


class _KnownList(msgspec.Struct):
    """What was read of a list."""

    total: int
    snapshot: CommittedState | None
    places: dict[int, int] = {}
    """The ids of rows by their number in the list, from 0."""


_Key = tuple[LiteralString, LiteralString, LiteralString, str]
_lists: dict[_Key, _KnownList] = {}
"""The lists whose far pages were read: whoever reads one reads the next."""


async def walk(
    tx: Tx, chosen: Selection, order: LiteralString, page: Page, count: LiteralString, within: LiteralString = ""
) -> Walk:
    """The way to the page: a far one is reached from the nearer end, for which the total is counted first.

    `within`: what the count refers to (`WITH …`).
    """
    if not page.far:
        return Walk(order, count, {**chosen.bound, **page.bound})
    total = await tx.value(f"{within} SELECT ({count})", **chosen.bound)
    return _from_an_end(chosen, order, page, total, tx.snapshot)


def _from_an_end(
    chosen: Selection, order: LiteralString, page: Page, total: int, snapshot: CommittedState | None
) -> Walk:
    walked, bound = page.nearest(order, total)
    return Walk(walked, KNOWN_TOTAL, {**chosen.bound, **bound, "total": total}, snapshot=snapshot)


class FarPage:
    """The way to a page of a list that may be known, and what reading it teaches."""

    def __init__(self, table: LiteralString, alias: LiteralString, chosen: Selection, order: LiteralString, page: Page,
                 count: LiteralString, within: LiteralString = "") -> None:  # fmt: skip
        """`table`: that of the rows, which statements call `alias`."""
        self._table: LiteralString = table
        self._alias: LiteralString = alias
        self._chosen = chosen
        self._order: LiteralString = order
        self._page = page
        self._count: LiteralString = count
        self._within: LiteralString = within
        self._key: _Key | None = (chosen.text, order, count, repr(chosen.bound)) if page.far else None

    async def way(self, tx: Tx) -> Walk:
        """The shortest way: from a known place, else from the end that was nearer when the list was read last."""
        known = _lists.get(self._key) if self._key else None
        if known is None:
            return await walk(tx, self._chosen, self._order, self._page, self._count, self._within)
        if known.snapshot is not None and known.snapshot == tx.snapshot:
            return self._from_a_place(known) or self._from_an_end(known.total, known.snapshot)
        walked, bound = self._page.nearest(self._order, known.total)
        expected = None if walked == self._order else known.total
        return Walk(walked, self._count, {**self._chosen.bound, **bound}, total=expected)

    def way_of(self, tx: Tx, total: int) -> Walk:
        """The shortest way in a list whose total was just counted."""
        known, state = _lists.get(self._key) if self._key else None, tx.snapshot
        if known is not None and state is not None and known.snapshot == state and (way := self._from_a_place(known)):
            return way
        return self._from_an_end(total, state)

    def _from_an_end(self, total: int, snapshot: CommittedState | None) -> Walk:
        return _from_an_end(self._chosen, self._order, self._page, total, snapshot)

    def _from_a_place(self, known: _KnownList) -> Walk | None:
        """From the nearest known place, if that is nearer than both ends."""
        start, end = self._page.start, min(self._page.end, known.total)
        # Most often it is the same page again, or the next one.
        place = next((near for near in (start, start - 1) if near in known.places), None)
        if place is None:
            place = min(known.places, key=lambda place: _distance(place, start, end), default=0)
        steps = _distance(place, start, end)
        if start >= end or steps >= min(start, known.total - end):
            return None
        forward = place <= start
        since = _since(self._table, self._alias, self._order, forward=forward)
        if since is None:
            return None
        order = self._order if forward else backwards(self._order)
        bound: dict[str, Value] = {
            "limit": end - start,
            "offset": steps,
            "total": known.total,
            "place": known.places[place],
        }
        return Walk(order, KNOWN_TOTAL, {**self._chosen.bound, **bound}, since, snapshot=known.snapshot)

    def learn(self, tx: Tx, way: Walk, ids: Sequence[int], total: int) -> Walk | None:
        """Remember the page that was just read; another way, if the list turned out not to be what this one expects."""
        if self._key is None:
            return None
        snapshot = tx.snapshot
        if way.snapshot is not None and way.snapshot != snapshot:
            _lists.pop(self._key, None)
            return Walk(self._order, self._count, {**self._chosen.bound, **self._page.bound})
        if way.total not in (None, total):
            return self._from_an_end(total, snapshot)
        self._remember(self._key, snapshot, ids, total)
        return None

    def _remember(self, key: _Key, snapshot: CommittedState | None, ids: Sequence[int], total: int) -> None:
        known = _lists.get(key)
        if known is None or known.snapshot != snapshot:
            known = _lists[key] = _KnownList(total, snapshot)
            if len(_lists) > MAX_LISTS:
                del _lists[next(iter(_lists))]
        known.total = total
        if ids and snapshot is not None:
            known.places |= {self._page.start: ids[0], self._page.start + len(ids) - 1: ids[-1]}
            while len(known.places) > MAX_PLACES:
                del known.places[next(iter(known.places))]


def _distance(place: int, start: int, end: int) -> int:
    """How many rows are skipped from this place to a page: to its first row, or backward to its last one."""
    if start < place < end - 1:
        return end  # in the midst of it: the whole page is on neither side
    return start - place if place <= start else place - end + 1


@lru_cache(256)
def _since(table: LiteralString, alias: LiteralString, order: LiteralString, *, forward: bool) -> LiteralString | None:
    """The condition for rows from `:place` on; None for an order that is not one of columns in the same direction."""
    column = rf"{alias}\.(\w+) (ASC|DESC)"
    if not re.fullmatch(rf"{column}(, {alias}\.\w+ \2)*", order):
        return None
    columns = [name for name, _ in re.findall(column, order)]
    own, there = (", ".join(f"{of}.{name}" for name in columns) for of in (alias, "place"))
    compared = ">=" if ("ASC" in order) == forward else "<="
    condition = f"AND ({own}) {compared} (SELECT {there} FROM {table} place WHERE place.id = :place)"
    return cast("LiteralString", condition)
