"""The deliveries of a hook by the hour, as its page draws them."""

from datetime import timedelta
from typing import Final

import msgspec

from mujina.kernel import clock
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx

HOURS: Final = 24
MAX_COUNTED: Final = 5_000
"""The number of newest attempts of a busy hook that are counted."""
_HOUR: Final = len("2026-01-31T23")


class DeliveryHours(msgspec.Struct, frozen=True):
    """The last hours, the oldest first, with how many attempts succeeded and failed in each."""

    labels: list[str]
    delivered: list[int]
    failed: list[int]


class _HourRow(Row):
    hour: str
    delivered: int
    failed: int


async def read_hours(tx: Tx, hook_id: int) -> DeliveryHours:
    moments = [clock.later(timedelta(hours=back + 1 - HOURS))[:_HOUR] for back in range(HOURS)]
    rows = await tx.rows(
        _HourRow,
        """
        SELECT recent.hour, sum(recent.delivered), sum(1 - recent.delivered) FROM (
            SELECT substr(w.created_at, 1, CAST(:width AS integer)) AS hour,
                CASE WHEN w.response_status LIKE '2%' THEN 1 ELSE 0 END AS delivered
            FROM hook_logs w WHERE w.hook_id = :hook_id ORDER BY w.id DESC LIMIT :limit) recent
        WHERE recent.hour >= :since GROUP BY recent.hour
        """,
        hook_id=hook_id, width=_HOUR, limit=MAX_COUNTED, since=moments[0],
    )  # fmt: skip
    found = {row.hour: row for row in rows}
    return DeliveryHours(
        [f"{moment[-2:]}:00" for moment in moments],
        [found[moment].delivered if moment in found else 0 for moment in moments],
        [found[moment].failed if moment in found else 0 for moment in moments],
    )
