"""How many contributions a project or a user has on each day, without counting those of past days again.

A process remembers the counts of past days, by project, kind and part, whoever may read them. They hold until a former event
changes (`tables.py`); new events belong to the days that are counted each time. Who may read a part follows from the project
(`events/totals.py: PARTS`) and is asked each time.
"""

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from datetime import date, timedelta
from functools import cache
from itertools import accumulate
from typing import Any, LiteralString

import msgspec

from mujina.activity.events import totals
from mujina.activity.events.kinds import KINDS, PART, SUBJECTS
from mujina.activity.events.totals import PARTS, KnownFacts
from mujina.kernel import clock
from mujina.kernel.db.selection import Selection
from mujina.kernel.db.transaction import Tx

OPEN_DAYS = 1
"""Days before today that are counted each time: a transaction that began on one of them may not have ended."""
MAX_FEEDS = 300
"""Projects and users whose days a process remembers."""

FIRST_DAY, LAST_DAY = "0000-01-01", "9999-12-31"

_Group = tuple[int, str, str]
"""Project, kind and part."""
_Revisions = list[tuple[int, int]]


class FeedOwner(msgspec.Struct, frozen=True):
    """Whose contributions: those to a project, or those by a user."""

    column: LiteralString
    id: int

    @property
    def projects(self) -> LiteralString:
        """A statement for the ids of the projects to which they were made."""
        if self.column == "project_id":
            return "SELECT CAST(:owner_id AS bigint)"
        return "SELECT c.project_id FROM event_counts c WHERE c.author_id = :owner_id"


class _Days(msgspec.Struct, frozen=True):
    """The days of one group that have contributions, in their order, and the sums of their numbers up to each."""

    days: list[str]
    sums: list[int]

    def between(self, after: str, before: str) -> int:
        first, end = bisect_right(self.days, after), bisect_left(self.days, before)
        return self._sum(end) - self._sum(first) if first < end else 0

    def each(self, after: str, before: str) -> Counter[str]:
        first, end = bisect_right(self.days, after), bisect_left(self.days, before)
        return Counter({self.days[n]: self._sum(n + 1) - self._sum(n) for n in range(first, end)})

    def _sum(self, end: int) -> int:
        return self.sums[end - 1] if end else 0


class _PastDays(msgspec.Struct, frozen=True):
    """What a process remembers of a project or a user."""

    until: str
    """The first day that is not counted."""
    revisions: _Revisions
    groups: dict[_Group, _Days]


async def total(
    tx: Tx, feed: Selection, facts: KnownFacts, owner: FeedOwner, days: tuple[str, str], *, involved: bool
) -> int:
    """How many contributions the feed has; `days`: it excludes both, and what lies outside of them.

    `involved`: the actor may read some of them only as an author or assignee.
    """
    groups = await _readable(tx, feed, facts, await _groups(tx, owner))
    own = await totals.own_per_day(tx, feed, facts) if involved else {}
    return sum(group.between(*days) for group in groups) + sum(own.values())


async def per_day(
    tx: Tx, feed: Selection, facts: KnownFacts, owner: FeedOwner, days: tuple[str, str], *, involved: bool
) -> dict[str, int]:
    """The same for each day; days without any are left out."""
    counts = Counter(await totals.own_per_day(tx, feed, facts) if involved else {})
    for group in await _readable(tx, feed, facts, await _groups(tx, owner)):
        counts.update(group.each(*days))
    return dict(counts)


async def _readable(tx: Tx, feed: Selection, facts: KnownFacts, groups: dict[_Group, list[_Days]]) -> list[_Days]:
    """Those of the groups that the actor may read and that belong to the kinds of the feed."""
    kinds: Any = feed.bound["kinds"]
    wanted = {group: days for group, days in groups.items() if group[1] in kinds}
    rows = await tx.rows(
        tuple[Any, ...], _parts(facts), **feed.bound, day_projects=sorted({project for project, _, _ in wanted})
    )
    parts = {(row[0], part) for row in rows for part, readable in zip(PARTS, row[1:], strict=True) if readable}
    return [one for (project, _, part), days in wanted.items() if (project, part) in parts for one in days]


@cache
def _parts(facts: KnownFacts) -> LiteralString:
    columns = ", ".join(rule.given(dict(facts)).many for rule in PARTS.values())
    return f"SELECT p.id, {columns} FROM projects p WHERE p.id IN :day_projects AND p.deleted_at IS NULL"


def open_since() -> str:
    """The first day to which events may still be added."""
    return (date.fromisoformat(clock.today()) - timedelta(days=OPEN_DAYS)).isoformat()


async def _groups(tx: Tx, owner: FeedOwner) -> dict[_Group, list[_Days]]:
    """All contributions: those of past days, if possible remembered, and those of the last days."""
    until = open_since()
    past = await _past(tx, owner, until)
    found = defaultdict[_Group, list[_Days]](list)
    for groups in (past, await _counted(tx, owner, _LAST, until)):
        for group, days in groups.items():
            found[group].append(days)
    return found


async def _past(tx: Tx, owner: FeedOwner, until: str) -> dict[_Group, _Days]:
    # Read before the events: if one changes in between, the next reader counts again.
    revisions = await tx.rows(
        tuple[int, int],
        f"""SELECT r.project_id, CAST(sum(r.n) AS bigint) FROM event_revisions r
            WHERE r.project_id = 0 OR r.project_id IN ({owner.projects}) GROUP BY r.project_id ORDER BY r.project_id""",
        owner_id=owner.id,
    )
    if tx.memory is None:
        return await _counted(tx, owner, _PAST, until)
    known: dict[FeedOwner, _PastDays] = tx.memory.setdefault("event days", {})
    past = known.get(owner)
    if past is None or (past.until, past.revisions) != (until, revisions):
        past = known[owner] = _PastDays(until, revisions, await _counted(tx, owner, _PAST, until))
        while len(known) > MAX_FEEDS:
            del known[next(iter(known))]
    return past.groups


_PAST: LiteralString = "event.created_at < :edge"
_LAST: LiteralString = "event.created_at >= :edge"
"""Two texts: SQLite runs one that took long on a thread the next time, and only the past takes long."""


async def _counted(tx: Tx, owner: FeedOwner, when: LiteralString, edge: str) -> dict[_Group, _Days]:
    """The contributions before this day, or since then, counted one by one."""
    rows = await tx.rows(
        tuple[int, str, str | None, str, int],
        f"""SELECT event.project_id, event.kind, {PART}, substr(event.created_at, 1, 10), count(*)
            FROM events event JOIN users u ON u.id = event.author_id AND u.deleted_at IS NULL {SUBJECTS}
            WHERE event.{owner.column} = :owner_id AND event.project_id IS NOT NULL AND event.kind IN :all_kinds
            AND {when}
            GROUP BY 1, 2, 3, 4 ORDER BY 4""",
        owner_id=owner.id, all_kinds=list(KINDS), edge=edge,
    )  # fmt: skip
    found = defaultdict[_Group, list[tuple[str, int]]](list)
    for project, kind, part, day, n in rows:
        if part is not None:
            found[project, kind, part].append((day, n))
    return {group: _Days([day for day, _ in days], [*accumulate(n for _, n in days)]) for group, days in found.items()}
