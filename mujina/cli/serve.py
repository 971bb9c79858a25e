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
from mujina.cli.programs import check_git
from mujina.cli.trouble import plainly
from mujina.instance.identity.operations import check_instance_key
from mujina.kernel import logs, metrics
from mujina.kernel.db.connect import connect
from mujina.kernel.services import Services
from mujina.migrations.upgrade import migrate
from mujina.processes.http_server import HttpServer
from mujina.processes.life import Duty, leave, live
from mujina.processes.listener import CannotListen, bind
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
    check_git()
    make_data_folder(settings.data)
    listeners = bind(settings.host, settings.port, settings.workers)
    settings = msgspec.structs.replace(settings, port=listeners[0].getsockname()[1])
    ssh = _ssh_listener(settings)
    if ssh is not None:
        settings = msgspec.structs.replace(settings, ssh_port=ssh.getsockname()[1])
    if settings.workers == 1:
        asyncio.run(_alone(settings, listeners[0], ssh))
        leave()
    return _together(settings, listeners, ssh)


def worker(*, instance: Instance = HERE) -> int:
    """Run jobs and schedules until interrupted, beside any number of `mujina serve` on the same database."""
    settings = instance.settings()
    logs.configure(settings.log_format, settings.log_level)
    check_git()
    make_data_folder(settings.data)
    asyncio.run(_work(settings))
    return 0


def _ssh_listener(settings: Settings) -> socket.socket | None:
    """The socket of SSH. A port that is taken is said, and HTTP is served all the same."""
    try:
        return bind(settings.host, settings.ssh_port, option="--ssh-port")[0]
    except CannotListen as trouble:
        _tell(f"Git over SSH is not served. {trouble}")
        return None


async def _alone(settings: Settings, listener: socket.socket, ssh: socket.socket | None) -> None:
    """One process for everything."""
    await migrate(settings.database)
    async with _services(settings) as services:
        await check_instance_key(services.database, services.vault)
        _tell(await make_root(services))
        await _perform(services, [_http(services, listener), *_background(services, ssh)], partial(_announce, settings))


def _background(services: Services, ssh: socket.socket | None) -> list[Duty]:
    """What one process of an instance does beside HTTP: jobs, unless requests run their own, and git over SSH."""
    jobs: list[Duty] = [] if services.settings.jobs == "inline" else [app.runner(services)]
    return jobs if ssh is None else [*jobs, app.ssh_server(services, ssh)]


async def _work(settings: Settings) -> None:
    """One process for jobs."""
    await migrate(settings.database)
    async with _services(settings) as services:
        await _perform(services, [app.runner(services)], partial(_tell, "Mujina runs jobs."))


def _together(settings: Settings, listeners: list[socket.socket], ssh: socket.socket | None) -> int:
    """A supervisor, a process for each listener, and one for jobs and SSH."""
    if code := in_a_child(lambda: plainly(lambda: asyncio.run(_prepare(settings)))):
        return code
    metrics.share(settings.data / "metrics" / str(settings.port))
    everything = listeners if ssh is None else [*listeners, ssh]
    works: dict[str, Work] = {
        f"http-{number}": partial(_child, settings, everything, listener, None)
        for number, listener in enumerate(listeners, 1)
    }
    if ssh is not None or settings.jobs != "inline":
        works["jobs"] = partial(_child, settings, everything, None, ssh)
    supervisor = Supervisor(
        works,
        grace=settings.grace_seconds + AFTERWARDS_SECONDS,
        ready=partial(_announce, settings),
        stopping=partial(_close, everything),
    )
    return supervisor.run()


def _close(listeners: list[socket.socket]) -> None:
    for listener in listeners:
        listener.close()


async def _prepare(settings: Settings) -> None:
    await migrate(settings.database)
    async with _services(settings) as services:
        await check_instance_key(services.database, services.vault)
        _tell(await make_root(services))


def _child(
    settings: Settings,
    everything: list[socket.socket],
    listener: socket.socket | None,
    ssh: socket.socket | None,
    post: Post,
) -> int:
    _close([other for other in everything if other not in (listener, ssh)])  # or ports would outlive their processes
    return plainly(lambda: asyncio.run(_supervised(settings, listener, ssh, post)))


async def _supervised(
    settings: Settings, listener: socket.socket | None, ssh: socket.socket | None, post: Post
) -> None:
    async with _services(settings) as services:
        duties = _background(services, ssh) if listener is None else [_http(services, listener)]
        await _perform(services, duties, post.ready, post.lifeline)


@asynccontextmanager
async def _services(settings: Settings) -> AsyncGenerator[Services]:
    database = connect(settings.database)
    await database.open()
    try:
        services = app.build_services(settings, database)
        try:
            yield services
        finally:
            services.passwords.close()
    finally:
        await database.close()


def _http(services: Services, listener: socket.socket) -> Duty:
    return HttpServer(app.build(services), listener, services.settings)


async def _perform(
    services: Services, duties: list[Duty], ready: Callable[[], None], lifeline: int | None = None
) -> None:
    await live(duties, grace=services.settings.grace_seconds, ready=ready, lifeline=lifeline)


def _announce(settings: Settings) -> None:
    outside = f", for others at {settings.external_url}" if settings.external_url else ""
    _tell(f"Mujina is ready at {settings.local_url}{outside}")


def _tell(sentence: str | None) -> None:
    if sentence:
        print(sentence, flush=True)
