"""Figures of the work in the background, under the names that monitoring of this API family asks for."""

from mujina.integrations.sidekiq import entities
from mujina.integrations.sidekiq.entities import CompoundMetrics, JobMetrics, ProcessMetrics, QueueMetrics
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.routing import get


@get("/sidekiq/queue_metrics", admin=True)
async def show_queue_metrics(call: Call) -> QueueMetrics:
    async with call.reading() as tx:
        return QueueMetrics(await entities.queues(tx))


@get("/sidekiq/process_metrics", admin=True)
async def show_process_metrics(call: Call) -> ProcessMetrics:
    async with call.reading() as tx:
        return ProcessMetrics(await entities.processes(tx))


@get("/sidekiq/job_stats", admin=True)
async def show_job_metrics(call: Call) -> JobMetrics:
    async with call.reading() as tx:
        return JobMetrics(await entities.jobs(tx))


@get("/sidekiq/compound_metrics", admin=True)
async def show_compound_metrics(call: Call) -> CompoundMetrics:
    async with call.reading() as tx:
        return CompoundMetrics(await entities.queues(tx), await entities.processes(tx), await entities.jobs(tx))
