"""The numbers of waiting jobs, as metrics."""

from mujina.integrations.deliveries.figures import delivery_figures
from mujina.kernel.jobs.processes import queue_figures, running_processes
from mujina.kernel.monitoring.metrics import Gauge
from mujina.kernel.services import Services


async def read_gauges(services: Services) -> list[Gauge]:
    """Jobs and deliveries that wait, those that failed for good, and the processes that work."""
    async with services.database.reading() as tx:
        jobs, deliveries = await queue_figures(tx), await delivery_figures(tx)
        processes = await running_processes(tx)
    return [
        Gauge("mujina_jobs_waiting", "Jobs that could run now.", {(row.task,): row.backlog for row in jobs}, ("task",)),
        Gauge("mujina_jobs_parked", "Jobs that failed for good.", {(row.task,): row.parked for row in jobs}, ("task",)),
        Gauge("mujina_hook_deliveries_waiting", "Deliveries that are not made yet.", {(): deliveries.waiting}),
        Gauge("mujina_hooks_paused", "Hooks that are paused after failures.", {(): deliveries.paused}),
        Gauge("mujina_hooks_disabled", "Hooks that wait to be resumed.", {(): deliveries.disabled}),
        Gauge("mujina_background_processes", "Processes that run jobs and call hooks.", {(): len(processes)}),
    ]
