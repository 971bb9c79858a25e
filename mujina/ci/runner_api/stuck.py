"""Jobs that never end by themselves: their runner fell silent, or no runner takes them."""

from datetime import timedelta
from typing import Final, LiteralString

from mujina.ci.runner_api.queue import JobQueue, find_all_queues, serves
from mujina.ci.runners.rules import ONLINE, RunnerRow
from mujina.kernel import clock
from mujina.kernel.db.transaction import Tx

RUNNER_TIMEOUT: Final = timedelta(hours=1)
"""A runner that has not reported for so long is gone."""
MAX_UNSERVED: Final = timedelta(hours=1)
"""A job that no runner may take fails after so long."""
MAX_WAIT: Final = timedelta(hours=24)
"""Any job that waits for so long fails."""
BATCH: Final = 100

_RUNNERS_OF_PROJECT: LiteralString = f"""
    SELECT {RunnerRow.columns} FROM runners rn JOIN projects p ON p.id = :project_id
    WHERE rn.active AND rn.contacted_at > :online_since AND p.deleted_at IS NULL AND p.jobs_enabled AND (
        (rn.runner_type = 'instance_type' AND p.shared_runners_enabled)
        OR rn.id IN (SELECT rp.runner_id FROM runner_projects rp WHERE rp.project_id = p.id)
        OR rn.group_id IN (SELECT t.ancestor_id FROM group_tree t WHERE t.group_id = p.namespace_id))"""


async def find_stuck_jobs(tx: Tx) -> list[int]:
    """The ids of jobs that have to fail, at most a batch of each kind."""
    silent = await tx.values(
        "SELECT j.id FROM pipeline_jobs j WHERE j.status = 'running' AND j.updated_at < :since ORDER BY j.id LIMIT :limit",
        since=clock.later(-RUNNER_TIMEOUT),
        limit=BATCH,
    )
    waiting = await tx.values(
        "SELECT j.id FROM pipeline_jobs j WHERE j.status = 'pending' AND j.queued_at < :since ORDER BY j.id LIMIT :limit",
        since=clock.later(-MAX_WAIT),
        limit=BATCH,
    )
    unserved = [
        job_id
        for queue in await find_all_queues(tx)
        if not await _is_served(tx, queue)
        for job_id in await _queued_before(tx, queue, clock.later(-MAX_UNSERVED))
    ]
    return sorted({*silent, *waiting, *unserved})


async def _is_served(tx: Tx, queue: JobQueue) -> bool:
    """Whether a runner that is online may take the jobs of this queue."""
    online = await tx.rows(
        RunnerRow, _RUNNERS_OF_PROJECT, project_id=queue.project_id, online_since=clock.later(-ONLINE)
    )
    return any(serves(runner, queue.tags) and (queue.protected or not runner.protected_only) for runner in online)


async def _queued_before(tx: Tx, queue: JobQueue, moment: str) -> list[int]:
    return await tx.values(
        """SELECT j.id FROM pipeline_jobs j WHERE j.status = 'pending' AND j.tags = :tags AND j.protected = :protected
           AND j.project_id = :project_id AND j.queued_at < :moment ORDER BY j.id LIMIT :limit""",
        tags=queue.tags, protected=queue.protected, project_id=queue.project_id, moment=moment, limit=BATCH,
    )  # fmt: skip
