"""`mujina hook`."""

from datetime import timedelta
from typing import Annotated

from cyclopts import App, Parameter
from cyclopts.validators import Number

from mujina.cli.errors import CommandError
from mujina.cli.instance import DEFAULT_INSTANCE, Instance
from mujina.cli.output import print_table
from mujina.integrations.deliveries.logs import waiting, written
from mujina.integrations.deliveries.queue import leases as queues
from mujina.integrations.deliveries.queue.building import enqueue_again
from mujina.kernel import clock
from mujina.kernel.jobs import wakeups

hooks = App(name="hook")
WAIT_LIMIT = timedelta(seconds=15)
"""A hook that is called later than this waits after failures."""


@hooks.command
async def deliveries(
    hook: Annotated[int | None, Parameter(help="Only those of this hook.")] = None,
    *,
    limit: Annotated[int, Parameter(help="How many at most.", validator=Number(gte=1))] = 50,
    instance: Instance = DEFAULT_INSTANCE,
) -> None:
    """List the latest deliveries, newest first, and the hooks for which deliveries wait."""
    async with instance.database() as database, database.reading() as tx:
        logged = await written(tx, hook, max(limit, 0))
        queued = await waiting(tx, hook)
    print_table(
        ("id", "hook", "trigger", "status", "seconds", "at", "error"),
        [
            (
                row.id,
                row.hook_id,
                row.trigger,
                row.response_status,
                row.milliseconds / 1000,
                row.created_at,
                row.error or "",
            )
            for row in logged
        ],
    )
    if queued:
        print()
        print_table(
            ("hook", "waiting", "failures", "next"),
            [(row.hook_id, row.waiting, row.failures, row.ready_at or "now") for row in queued],
        )


@hooks.command
async def redeliver(delivery: int, *, instance: Instance = DEFAULT_INSTANCE) -> None:
    """Queue a delivery again, at the current URL of its hook, after its pending deliveries."""
    async with instance.database(to_change=True) as database, database.transaction() as tx:
        found = await tx.row(
            tuple[int, int], "SELECT w.hook_id, w.payload_id FROM hook_logs w WHERE w.id = :id", id=delivery
        )
        if found is None:
            raise CommandError(f"There is no delivery {delivery}: see `mujina hook deliveries`.")
        await enqueue_again(tx, *found)
        ready_at: str = await tx.value("SELECT q.ready_at FROM hook_queues q WHERE q.hook_id = :id", id=found[0])
        tx.after_commit(wakeups.notify_deliverers)
    print(f"Delivery {delivery} is queued again for hook {found[0]}.")
    if ready_at > clock.later(WAIT_LIMIT):
        print(f"The hook is called again at {ready_at}, or at once after `mujina hook resume {found[0]}`.")


@hooks.command
async def resume(hook: int, *, instance: Instance = DEFAULT_INSTANCE) -> None:
    """Call a paused or disabled hook again, at once if deliveries wait for it."""
    async with instance.database(to_change=True) as database, database.transaction() as tx:
        if not await tx.value("SELECT h.id FROM hooks h WHERE h.id = :id", id=hook):
            raise CommandError(f"There is no hook {hook}.")
        await queues.resume(tx, hook)
    print(f"Hook {hook} is called again.")
