"""Samples of how much waits in the background."""

from datetime import timedelta
from typing import Final

from mujina.integrations.deliveries.figures import delivery_figures
from mujina.kernel import clock
from mujina.kernel.db.rows import upsert
from mujina.kernel.db.transaction import Tx
from mujina.kernel.jobs.processes import queue_figures

KEPT: Final = timedelta(days=2)


async def measure(tx: Tx) -> None:
    """Store what waits now, and forget old samples."""
    waiting = sum(queue.backlog for queue in await queue_figures(tx)) + (await delivery_figures(tx)).due
    await upsert(tx, "queue_samples", "measured_at", measured_at=clock.now(), waiting=waiting)
    await tx.run("DELETE FROM queue_samples WHERE measured_at < :before", before=clock.later(-KEPT))


async def most_waiting_by_hour(tx: Tx, since: str) -> dict[str, int]:
    """The most that waited in each hour that was measured, by its start: `2018-01-22T14`."""
    rows = await tx.rows(
        tuple[str, int],
        """SELECT substr(s.measured_at, 1, 13), max(s.waiting) FROM queue_samples s WHERE s.measured_at >= :since
           GROUP BY substr(s.measured_at, 1, 13)""",
        since=since,
    )
    return dict(rows)
