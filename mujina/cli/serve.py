"""`mujina serve` and `mujina worker`."""

import asyncio
import socket
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Annotated

import msgspec

from mujina import app
from mujina.cli.first_start import make_root
from mujina.cli.folders import make_data_folder
from mujina.cli.instance import Instance, flag
from mujina.cli.trouble import plainly
from mujina.kernel import logs, metrics
from mujina.kernel.db.connect import connect
from mujina.kernel.house import House
from mujina.migrations.upgrade import migrate
from mujina.processes.http_server import HttpServer
from mujina.processes.life import Duty, leave, live
from mujina.processes.listener import bind
from mujina.processes.supervisor import Post, Supervisor, Work, in_a_child
from mujina.settings import Settings

HERE = Instance()
AFTERWARDS_SECONDS = 5
"""What a process is given, after the grace, to close what it has open."""


def serve(
    *,
    instance: Instance = HERE,
    host: Annotated[str | None, flag("host")] = None,
    port: Annotated[str | None, flag("port")] = None,
    workers: Annotated[str | None, flag("workers")] = None,
    ssh_port: Annotated[str | None, flag("ssh_port")] = None,
) -> int:
    """Serve until interrupted. The first start makes the data folder, the database and the administrator `root`."""
    settings = instance.settings(host=host, port=port, workers=workers, ssh_port=ssh_port)
    logs.configure(settings.log_format, settings.log_level)
    make_data_folder(settings.data)
    listeners = bind(settings.host, settings.port, settings.workers)
    settings = msgspec.structs.replace(settings, port=listeners[0].getsockname()[1])
    if settings.workers == 1:
        asyncio.run(_alone(settings, listeners[0]))
        leave()
    return _together(settings, listeners)


def worker(*, instance: Instance = HERE) -> int:
    """Run jobs and schedules until interrupted, beside any number of `mujina serve` on the same database."""
    settings = instance.settings()
    logs.configure(settings.log_format, settings.log_level)
    make_data_folder(settings.data)
    asyncio.run(_work(settings))
    return 0


async def _alone(settings: Settings, listener: socket.socket) -> None:
    """One process for everything."""
    await migrate(settings.database)
    async with _house(settings) as house:
        _tell(await make_root(house))
        duties = [_http(house, listener)] if _inline(settings) else [_http(house, listener), app.runner(house)]
        await _perform(house, duties, partial(_announce, settings))


async def _work(settings: Settings) -> None:
    """One process for jobs."""
    await migrate(settings.database)
    async with _house(settings) as house:
        await _perform(house, [app.runner(house)], partial(_tell, "Mujina runs jobs."))


def _together(settings: Settings, listeners: list[socket.socket]) -> int:
    """A supervisor, a process for each listener, and one for jobs."""
    if code := in_a_child(lambda: plainly(lambda: asyncio.run(_prepare(settings)))):
        return code
    metrics.share(settings.data / "metrics" / str(settings.port))
    works: dict[str, Work] = {
        f"http-{number}": partial(_child, settings, listeners, listener) for number, listener in enumerate(listeners, 1)
    }
    if not _inline(settings):
        works["jobs"] = partial(_child, settings, listeners, None)
    supervisor = Supervisor(
        works,
        grace=settings.grace_seconds + AFTERWARDS_SECONDS,
        ready=partial(_announce, settings),
        stopping=partial(_close, listeners),
    )
    return supervisor.run()


def _close(listeners: list[socket.socket]) -> None:
    for listener in listeners:
        listener.close()


async def _prepare(settings: Settings) -> None:
    await migrate(settings.database)
    async with _house(settings) as house:
        _tell(await make_root(house))


def _child(settings: Settings, listeners: list[socket.socket], listener: socket.socket | None, post: Post) -> int:
    _close([other for other in listeners if other is not listener])  # or their ports would outlive their processes
    return plainly(lambda: asyncio.run(_supervised(settings, listener, post)))


async def _supervised(settings: Settings, listener: socket.socket | None, post: Post) -> None:
    async with _house(settings) as house:
        duty = app.runner(house) if listener is None else _http(house, listener)
        await _perform(house, [duty], post.ready, post.lifeline)


@asynccontextmanager
async def _house(settings: Settings) -> AsyncGenerator[House]:
    database = connect(settings.database)
    await database.open()
    try:
        house = app.furnish(settings, database)
        try:
            yield house
        finally:
            house.passwords.close()
    finally:
        await database.close()


def _http(house: House, listener: socket.socket) -> Duty:
    return HttpServer(app.build(house), listener, house.settings)


async def _perform(house: House, duties: list[Duty], ready: Callable[[], None], lifeline: int | None = None) -> None:
    await live(duties, grace=house.settings.grace_seconds, ready=ready, lifeline=lifeline)


def _inline(settings: Settings) -> bool:
    """Whether requests run their own jobs, so that nobody else may."""
    return settings.jobs == "inline"


def _announce(settings: Settings) -> None:
    outside = f", for others at {settings.external_url}" if settings.external_url else ""
    _tell(f"Mujina is ready at {settings.local_url}{outside}")


def _tell(sentence: str | None) -> None:
    if sentence:
        print(sentence, flush=True)
