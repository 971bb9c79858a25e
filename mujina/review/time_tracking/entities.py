"""The times of a merge request as the API shows them."""

from mujina.kernel.db.transaction import Tx
from mujina.planning.issues.entities import times
from mujina.planning.issues.views import TimeStats


async def time_stats(tx: Tx, request_id: int) -> TimeStats:
    seconds = await tx.row(
        tuple[int, int],
        "SELECT mr.time_estimate, mr.total_time_spent FROM merge_requests mr WHERE mr.id = :id",
        id=request_id,
    )
    return times(*(seconds or (0, 0)))
