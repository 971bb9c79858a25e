"""The tracked time of an issue or merge request as the API shows it."""

import msgspec

from mujina.kernel.db.transaction import Tx
from mujina.planning.time_tracking.durations import format_duration
from mujina.planning.work_items.kinds import WorkItemKind


class TimeStats(msgspec.Struct):
    time_estimate: int
    total_time_spent: int
    human_time_estimate: str | None
    human_total_time_spent: str | None


async def time_stats(tx: Tx, kind: WorkItemKind, id: int) -> TimeStats:
    seconds = await tx.row(
        tuple[int, int],
        f"SELECT item.time_estimate, item.total_time_spent FROM {kind.table} item WHERE item.id = :id",
        id=id,
    )
    return times(*(seconds or (0, 0)))


def times(estimate: int, spent: int) -> TimeStats:
    """An estimate and the time spent, in seconds and in words."""
    return (
        TimeStats(estimate, spent, format_duration(estimate), format_duration(spent))
        if estimate or spent
        else _NO_TIMES
    )


_NO_TIMES = TimeStats(0, 0, None, None)
