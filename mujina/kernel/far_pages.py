"""Far pages of long lists: reached from the nearer end, or from a place that an earlier page has found.

Skipping rows costs time for each of them. A process therefore remembers where pages of a list began and ended, by the ids of
their rows, and starts there. That is right only while these rows have their places: the memory of a list counts for one state
of it, and a statement that turns out to have seen another state is repeated without it.

- Some lists have a statement for their state, which is read along with each far page. It stays the same while other lists
  change, and may do so while new rows come at the newest end. Places are numbered from the oldest row, so these new rows do
  not move them.
- For other lists it is the state of the whole database (`Tx.snapshot`), which any commit changes. An engine that does not
  name its states uses the ends alone.
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


State = CommittedState | str
"""What is equal names the same state of a list, apart from new rows at the newest end if it is a text."""

_MAX_TRIES = 3
"""Statements; a list that changes all the time is then read from its start."""


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
    state: State | None = None
    """The state for which it is right; None: any."""


class _KnownList(msgspec.Struct):
    """What was read of a list."""

    total: int
    state: State | None
    places: dict[int, int] = {}
    """The ids of rows by their number, from 0 for the oldest: the last in a list with the newest first."""


_Key = tuple[LiteralString, LiteralString, LiteralString, str]


def known_lists(tx: Tx) -> dict[_Key, _KnownList]:
    """The lists whose far pages were read: whoever reads one reads the next. Nothing is known inside a transaction."""
    return {} if tx.memory is None else tx.memory.setdefault("far pages", {})


async def walk(tx: Tx, chosen: Selection, order: LiteralString, page: Page, count: LiteralString) -> Walk:
    """The way to the page: a far one is reached from the nearer end, for which the total is counted first."""
    if not page.far:
        return Walk(order, count, {**chosen.bound, **page.bound})
    return _from_an_end(chosen, order, page, await _total(tx, chosen, count), tx.snapshot)


async def _total(tx: Tx, chosen: Selection, count: LiteralString, within: LiteralString = "") -> int:
    return await tx.value(f"{within} SELECT ({count})", **chosen.bound)


def _from_an_end(
    chosen: Selection, order: LiteralString, page: Page, total: int, snapshot: CommittedState | None
) -> Walk:
    walked, bound = page.nearest(order, total)
    return Walk(walked, KNOWN_TOTAL, {**chosen.bound, **bound, "total": total}, state=snapshot)


class FarPage:
    """The way to a page of a list that may be known, and what reading it teaches."""

    def __init__(self, table: LiteralString, alias: LiteralString, chosen: Selection, order: LiteralString, page: Page,
                 count: LiteralString, within: LiteralString = "", state: LiteralString = "") -> None:  # fmt: skip
        """`table`: that of the rows, which statements call `alias`; `within`: what the count refers to (`WITH …`).

        `state`: a statement for the state of the list, if there is one.
        """
        self._table: LiteralString = table
        self._alias: LiteralString = alias
        self._chosen = chosen
        self._order: LiteralString = order
        self._page = page
        self._count: LiteralString = count
        self._within: LiteralString = within
        self._key: _Key | None = (chosen.text, order, count, repr(chosen.bound)) if page.far else None
        self.state: LiteralString = state if page.far else ""
        """What the statement of the page has to select as well; empty: nothing."""
        self._tries = 0

    async def way(self, tx: Tx) -> Walk:
        """The shortest way: from a known place, else from the end that was nearer when the list was read last."""
        if self._key is None:
            return Walk(self._order, self._count, {**self._chosen.bound, **self._page.bound})
        known = known_lists(tx).get(self._key)
        if known is None:
            total = await _total(tx, self._chosen, self._count, self._within)
            return self._from_an_end(total, tx.snapshot)
        if self.state or (known.state is not None and known.state == tx.snapshot):
            return self._from_a_place(known) or self._from_an_end(known.total, tx.snapshot)
        return self._counting_from_an_end(known.total)

    def way_of(self, tx: Tx, total: int) -> Walk:
        """The shortest way in a list whose total was just counted."""
        known, state = known_lists(tx).get(self._key) if self._key else None, tx.snapshot
        if known is not None and state is not None and known.state == state and (way := self._from_a_place(known)):
            return way
        return self._from_an_end(total, state)

    def _from_an_end(self, total: int, snapshot: CommittedState | None) -> Walk:
        if self.state:
            return self._counting_from_an_end(total)
        return _from_an_end(self._chosen, self._order, self._page, total, snapshot)

    def _counting_from_an_end(self, total: int) -> Walk:
        """The same if the total may have changed: it is counted with the page."""
        walked, bound = self._page.nearest(self._order, total)
        expected = None if walked == self._order else total
        return Walk(walked, self._count, {**self._chosen.bound, **bound}, total=expected)

    def _from_a_place(self, known: _KnownList) -> Walk | None:
        """From the nearest known place, if that is nearer than both ends."""
        start, end = self._page.start, min(self._page.end, known.total)
        # Most often it is the same page again, or the next one.
        place = next((near for near in (start, start - 1) if self._turned(near, known.total) in known.places), None)
        if place is None:
            places = (self._turned(number, known.total) for number in known.places)
            place = min(places, key=lambda place: _distance(place, start, end), default=0)
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
            "place": known.places[self._turned(place, known.total)],
        }
        count = self._count if self.state else KNOWN_TOTAL
        return Walk(order, count, {**self._chosen.bound, **bound}, since, known.total, known.state)

    def _turned(self, position: int, total: int) -> int:
        """The number of a row, from the oldest, for its position in the list; and the other way round."""
        return total - 1 - position if "DESC" in self._order else position

    def learn(self, tx: Tx, way: Walk, ids: Sequence[int], total: int, state: str | None = None) -> Walk | None:
        """Remember the page that was just read; another way, if the list turned out not to be what this one expects."""
        if self._key is None:
            return None
        seen = state if self.state else tx.snapshot
        outdated = way.state not in (None, seen)
        if outdated:
            known_lists(tx).pop(self._key, None)
        elif way.total in (None, total):
            self._remember(tx, self._key, seen, ids, total)
            return None
        self._tries += 1
        if self._tries == _MAX_TRIES or (outdated and not self.state):  # the total was not counted
            return Walk(self._order, self._count, {**self._chosen.bound, **self._page.bound})
        known = known_lists(tx).get(self._key)
        if known is not None and known.state == seen:
            known.total = total
            return self._from_a_place(known) or self._from_an_end(total, tx.snapshot)
        return self._from_an_end(total, tx.snapshot)

    def _remember(self, tx: Tx, key: _Key, state: State | None, ids: Sequence[int], total: int) -> None:
        lists = known_lists(tx)
        known = lists.get(key)
        if known is None or known.state != state:
            known = lists[key] = _KnownList(total, state)
            if len(lists) > MAX_LISTS:
                del lists[next(iter(lists))]
        known.total = total
        if ids and state is not None:
            first, last = self._page.start, self._page.start + len(ids) - 1
            known.places |= {self._turned(first, total): ids[0], self._turned(last, total): ids[-1]}
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
