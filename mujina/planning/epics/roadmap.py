"""Where a roadmap draws the epics: bars over months."""

from collections.abc import Sequence
from datetime import date

import msgspec

from mujina.kernel import clock
from mujina.planning.epics.entities import Epic

WIDTH = 960
HEAD = 28
"""The height of the names of months."""
ROW = 44
"""The height of an epic."""
MOST_TICKS = 12
_STEPS = (1, 2, 3, 6, 12, 24, 60, 120, 600, 1_200, 6_000, 12_000)
"""Months between two ticks."""
LONGEST_TITLE = 60


class Bar(msgspec.Struct, frozen=True):
    epic: Epic
    title: str
    x: float
    width: float
    title_x: float
    anchor: str
    y: int


class Tick(msgspec.Struct, frozen=True):
    x: float
    label: str


class Roadmap(msgspec.Struct, frozen=True):
    height: int
    ticks: list[Tick]
    bars: list[Bar]
    today: float | None
    """None: outside of it."""


def roadmap_of(epics: Sequence[Epic]) -> Roadmap:
    """The bars of these epics, of which each has a date: without the other one, a bar goes on to the edge."""
    dates = [date.fromisoformat(day) for epic in epics for day in (epic.start_date, epic.end_date) if day]
    if not dates:
        return Roadmap(0, [], [], None)
    months = _months(min(dates), max(dates))
    first, last = months[0], months[-1]
    now = date.fromisoformat(clock.today())
    ticks = [Tick(_x(month, first, last), month.strftime("%b %Y")) for month in months[:-1]]
    bars = [_bar(epic, number, first, last) for number, epic in enumerate(epics)]
    return Roadmap(HEAD + len(bars) * ROW, ticks, bars, _x(now, first, last) if first <= now <= last else None)


def _x(day: date, first: date, last: date) -> float:
    return round(WIDTH * (day - first).days / (last - first).days, 1)


def _bar(epic: Epic, number: int, first: date, last: date) -> Bar:
    start = date.fromisoformat(epic.start_date) if epic.start_date else first
    end = date.fromisoformat(epic.end_date) if epic.end_date else last
    x, right = _x(start, first, last), _x(end, first, last)
    late = x > WIDTH / 2
    title = epic.title if len(epic.title) <= LONGEST_TITLE else f"{epic.title[: LONGEST_TITLE - 1]}…"
    width = max(round(right - x, 1), 4.0)
    return Bar(
        epic=epic, title=title, x=x, width=width, title_x=min(x + width, WIDTH) if late else x,
        anchor="end" if late else "start", y=HEAD + number * ROW,
    )  # fmt: skip


def _months(first: date, last: date) -> list[date]:
    """The beginnings of months from the first day to after the last, at most a dozen and one."""
    start, end = first.year * 12 + first.month - 1, last.year * 12 + last.month
    step = next(step for step in _STEPS if (end - start) / step <= MOST_TICKS)
    return [_month(start + number * step) for number in range(-(-(end - start) // step) + 1)]


def _month(number: int) -> date:
    return date(number // 12, number % 12 + 1, 1) if number < date.max.year * 12 + 12 else date.max
