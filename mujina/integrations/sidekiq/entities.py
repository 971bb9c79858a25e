"""Queues, processes and counts of the work in the background."""

import msgspec

from mujina.integrations.deliveries.figures import HOOKS, delivery_figures
from mujina.integrations.sidekiq.queues import DEFAULT, NAMES, QUEUES, queues_of
from mujina.kernel import clock
from mujina.kernel.db.transaction import Tx
from mujina.kernel.jobs import processes as background


class Queue(msgspec.Struct):
    backlog: int
    """The number of jobs that could run now."""
    latency: int
    """Seconds since the oldest of it could have run."""


class Process(msgspec.Struct):
    hostname: str
    pid: int
    tag: str
    started_at: str
    queues: list[str]
    labels: list[str]
    concurrency: int
    busy: int


class JobCounts(msgspec.Struct):
    processed: int
    failed: int
    enqueued: int


class QueueMetrics(msgspec.Struct):
    queues: dict[str, Queue]


class ProcessMetrics(msgspec.Struct):
    processes: list[Process]


class JobMetrics(msgspec.Struct):
    jobs: JobCounts


class CompoundMetrics(msgspec.Struct):
    queues: dict[str, Queue]
    processes: list[Process]
    jobs: JobCounts


async def queues(tx: Tx) -> dict[str, Queue]:
    """The number of waiting jobs per queue, including empty queues."""
    found = {name: Queue(0, 0) for name in NAMES}
    deliveries = await delivery_figures(tx)
    figures = [(row.task, row.backlog, row.oldest) for row in await background.queue_figures(tx)]
    for task, backlog, oldest in [*figures, (HOOKS, deliveries.due, deliveries.oldest)]:
        queue = found[QUEUES.get(task, DEFAULT)]
        queue.backlog += backlog
        queue.latency = max(queue.latency, _age(oldest))
    return found


async def processes(tx: Tx) -> list[Process]:
    return [
        Process(
            hostname=row.hostname,
            pid=row.pid,
            tag="mujina",
            started_at=row.started_at,
            queues=queues_of(row.queues.split()),
            labels=[],
            concurrency=row.concurrency,
            busy=row.busy,
        )
        for row in await background.running_processes(tx)
    ]


async def jobs(tx: Tx) -> JobCounts:
    processed, failed = await background.totals(tx)
    enqueued = sum(queue.backlog for queue in (await queues(tx)).values())
    return JobCounts(processed, failed, enqueued)


def _age(moment: str | None) -> int:
    return 0 if moment is None else max(0, round(-clock.seconds_until(moment)))
