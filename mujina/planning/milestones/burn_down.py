"""The burn-down chart of a milestone: how much is left at the end of each day, beside a straight line to nothing."""

from datetime import date, timedelta

import msgspec

from mujina.kernel import clock
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.planning.milestones.rules import MilestoneRow

MOST_POINTS = 60
"""A longer milestone is drawn in steps of several days."""


class BurnDown(msgspec.Struct, frozen=True):
    days: list[str]
    """The days as the chart names them: `Jan 22`, or `Jan 2018` for more than a year."""
    left: list[int | None]
    """The number of open issues at the end of each day; None: the day has not begun."""
    ideal: list[float]


class _Counted(msgspec.Struct, array_like=True, frozen=True):
    opened_on: str
    closed_on: str | None
    number: int
    weight: int


async def read_burn_down(tx: Tx, milestone: MilestoneRow, issues: Selection, *, by_weight: bool) -> BurnDown | None:
    """The chart of these issues of the milestone; None without a first and a last day."""
    if not milestone.start_date or not milestone.due_date:
        return None
    rows = await tx.rows(
        _Counted,
        f"""SELECT substr(i.created_at, 1, 10), CASE WHEN i.state = 'closed' THEN substr(i.closed_at, 1, 10) END,
                count(*), CAST(coalesce(sum(i.weight), 0) AS bigint)
            {issues.text} GROUP BY 1, 2""",
        **issues.bound,
    )
    amounts = [(row.opened_on, row.closed_on or clock.NEVER, row.weight if by_weight else row.number) for row in rows]
    days, today = _days(milestone.start_date, milestone.due_date), clock.today()
    left = [
        sum(amount for opened, closed, amount in amounts if opened <= day < closed) if day <= today else None
        for day in days
    ]
    return BurnDown(_names(days), left, _ideal(len(days), sum(amount for _, _, amount in amounts)))


def _days(first: str, last: str) -> list[str]:
    """The first day, the last day, and at most `MOST_POINTS` days between them."""
    start, end = date.fromisoformat(first), date.fromisoformat(last)
    length = max((end - start).days, 0)
    step = -(-length // MOST_POINTS) or 1
    days = [start + timedelta(days=number) for number in range(0, length, step)]
    return [day.isoformat() for day in [*days, end]]


def _names(days: list[str]) -> list[str]:
    dates = [date.fromisoformat(day) for day in days]
    shape = "%b %-d" if dates[-1] - dates[0] <= timedelta(days=366) else "%b %Y"
    return [day.strftime(shape) for day in dates]


def _ideal(points: int, whole: int) -> list[float]:
    if points == 1:
        return [float(whole)]
    return [round(whole * (points - 1 - number) / (points - 1), 1) for number in range(points)]
