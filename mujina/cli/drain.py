"""`mujina job drain`."""

import asyncio
from typing import Annotated

from cyclopts import Parameter

from mujina import app
from mujina.cli.consequences import services_of
from mujina.cli.errors import CommandError
from mujina.cli.instance import DEFAULT_INSTANCE, Instance
from mujina.kernel.jobs.runner import Load

_NOTHING: tuple[Load, ...] = ()
_BEGUN: tuple[Load, ...] = (Load(0, 0, 0),)


def drain(
    *,
    timeout: Annotated[float, Parameter(help="Seconds after which to stop, with what runs given back.")] = 3600,
    instance: Instance = DEFAULT_INSTANCE,
) -> None:
    """Run all due jobs and pending hook deliveries, then exit; a server may run at the same time."""
    asyncio.run(_drain(instance, timeout))


async def _drain(instance: Instance, seconds: float) -> None:
    async with services_of(instance, instance.settings().log_level) as services:
        works = app.background_services(services)
        try:
            async with asyncio.timeout(seconds):
                before, after = _NOTHING, _BEGUN
                while before != after:  # what ran may have enqueued more of the other kind
                    before = after
                    for work in works:
                        await work.drain()
                    after = tuple(work.load() for work in works)
        except TimeoutError:
            raise CommandError(f"There is more to do after {seconds:g} seconds: run it again.") from None
    for work in works:
        print(f"{work.name}: {work.load().processed}, failed: {work.load().failed}.")
