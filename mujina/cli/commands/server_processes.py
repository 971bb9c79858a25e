"""The processes of `mujina serve` and `mujina worker`."""

import asyncio
import os
import socket
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import ExitStack, asynccontextmanager
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from mujina import app
from mujina.accounts.credentials.operations import TokenUseWriter
from mujina.cli.errors import CommandError, run_command
from mujina.cli.first_start import create_root
from mujina.cli.output import discard_output
from mujina.cli.prerequisites import (
    check_git,
    check_output_file,
    checked_settings,
    data_folder,
    is_for_tests,
    refuse_testing_folder,
)
from mujina.cli.secondary import as_secondary, refuse_on_secondary
from mujina.cli.server_record import restore_record, write_json, write_record
from mujina.code.pushes.records import recover_pushes
from mujina.instance.editions.operations import record_edition
from mujina.instance.identity.operations import find_vault
from mujina.kernel.db.clock_recovery import recover_clock
from mujina.kernel.db.connect import connect
from mujina.kernel.db.documents import DocumentWriter
from mujina.kernel.http.certificate_files import load_site_certificate
from mujina.kernel.http.requests import log as request_log
from mujina.kernel.monitoring import logs, metrics
from mujina.kernel.monitoring.readiness import prepare
from mujina.kernel.product import Product
from mujina.kernel.secrets import has_ssh_host_key, ssh_host_key
from mujina.kernel.services import Service, Services, find_secondary
from mujina.migrations.state import schema_state
from mujina.migrations.upgrade import migrate
from mujina.planning.storage.operations import reach_files
from mujina.processes.http_server import HttpServer
from mujina.processes.idle_work import IdleWork
from mujina.processes.lifecycle import exit_now, run_services
from mujina.processes.listener import CannotListen, bind, check_open_files
from mujina.processes.supervisor import ChildWork, ParentLink, Supervisor, run_in_child
from mujina.product import PRODUCT
from mujina.settings import Settings
from mujina.web.warm_up import warm_up

SHUTDOWN_SECONDS = 5
"""Time a process has after the grace period to close its connections."""
BACKGROUND_NICENESS = 5


class HttpSockets(NamedTuple):
    """The listeners of a process that answers HTTP: that of the instance, and those of sites."""

    main: socket.socket
    sites: socket.socket | None = None
    sites_tls: socket.socket | None = None


RunAlone = Callable[[Settings, HttpSockets, socket.socket | None, Callable[[], None]], Coroutine[Any, Any, None]]
"""Runs every service in this process; the last argument is called when they are ready."""


def serve_with(*, config: str | None = None, ready_file: str | None = None, **flags: str) -> int:
    """Serve with these flags."""
    return serve(checked_settings(flags, config).settings, None if ready_file is None else Path(ready_file))


def serve(settings: Settings, ready_file: Path | None, run_alone: RunAlone | None = None) -> int:
    """Serve until interrupted. The file is written when the server is ready. `run_alone` serves with one process."""
    logs.configure(settings.log_format, settings.log_level)
    check_git()
    check_open_files()
    if settings.pages_tls_port is not None:
        load_site_certificate(settings)
    if run_alone is None:
        refuse_testing_folder(settings.data)
    with data_folder(settings.data), ExitStack() as refused:
        settings, listeners = _http_listeners(settings)
        if ready_file is not None:
            _prepare_ready_file(ready_file)
        ssh = _ssh_listener(settings)
        if ssh is not None:
            settings = msgspec.structs.replace(settings, ssh_port=ssh.getsockname()[1])
            has_ssh_host_key(settings.data)  # before the database is made or upgraded
        refused.callback(restore_record, settings.data, write_record(settings, settings.ssh_port if ssh else None))

        def announce() -> None:
            refused.pop_all()  # the server has started
            _announce(settings, ready_file, ssh=ssh is not None)

        if settings.workers == 1:
            asyncio.run((run_alone or _run_single_process)(settings, listeners[0], ssh, announce))
            exit_now()
        return _run_supervised(settings, listeners, ssh, announce)


def work(settings: Settings) -> int:
    """Run jobs and schedules until interrupted."""
    logs.configure(settings.log_format, settings.log_level)
    check_git()
    check_open_files()
    refuse_testing_folder(settings.data)
    if settings.sqlite_file and not settings.sqlite_file.exists():
        raise CommandError(
            f"There is no database {settings.sqlite_file} whose jobs could run: give the settings of the server "
            "with --data or --config, or its database with --database-url."
        )
    with data_folder(settings.data):
        asyncio.run(_run_worker(settings))
    exit_now()


def _http_listeners(settings: Settings) -> tuple[Settings, list[HttpSockets]]:
    """The sockets of each process, and the settings with the ports that they have."""
    options = {"port": "--port", "pages_port": "--pages-port", "pages_tls_port": "the setting pages_tls_port"}
    bound = {
        name: bind(settings.host, port, settings.workers, option=option)
        for name, option in options.items()
        if (port := getattr(settings, name)) is not None
    }
    columns = [bound.get(name, [None] * settings.workers) for name in options]
    taken = {name: sockets[0].getsockname()[1] for name, sockets in bound.items()}
    return msgspec.structs.replace(settings, **taken), [HttpSockets(*row) for row in zip(*columns, strict=True)]


def _ssh_listener(settings: Settings) -> socket.socket | None:
    """The socket for SSH. If its port is taken, print that and serve HTTP only."""
    try:
        return bind(settings.host, settings.ssh_port, option="--ssh-port")[0]
    except CannotListen as error:
        _print(f"Git over SSH is not served. {error}")
        return None


async def _run_single_process(
    settings: Settings, sockets: HttpSockets, ssh: socket.socket | None, announce: Callable[[], None]
) -> None:
    """Run HTTP, jobs and SSH in this process."""
    async with upgraded_services(settings) as services:
        await prepare_instance(services, ssh=ssh is not None)
        ports = count_ports(*sockets, ssh)
        await run(services, [*_http(services, sockets, ports), *_background(services, ssh, ports)], announce)


def count_ports(*listeners: socket.socket | None) -> int:
    """The ports at which a process listens: their connections share the files that it may open."""
    return sum(each is not None for each in listeners)


def _background(services: Services, ssh: socket.socket | None, ports: int) -> list[Service]:
    """The services that only one process of an instance runs: jobs and hooks, unless requests run them inline, and git over SSH."""
    jobs: list[Service] = [] if services.settings.jobs == "inline" else [app.background(services)]
    if services.secondary is not None:
        jobs = [services.secondary.synchronizer(services)]
    return jobs if ssh is None else [*jobs, app.ssh_server(services, ssh, ports)]


async def _run_worker(settings: Settings) -> None:
    """Run jobs in this process."""
    refuse_on_secondary(settings)
    _yield_to_requests()
    async with open_services(settings, checks_schema=True) as services:
        await prepare(services)
        await run(services, [app.background(services)], partial(_print, "Mujina runs jobs."))


def _yield_to_requests() -> None:
    """A process that runs jobs gets the processor after those that answer requests, on the same machine."""
    os.nice(BACKGROUND_NICENESS)


def _run_supervised(
    settings: Settings, listeners: list[HttpSockets], ssh: socket.socket | None, announce: Callable[[], None]
) -> int:
    """Run a supervisor, one process per listener, and one process for jobs and SSH."""
    PRODUCT.load()
    if code := run_in_child(lambda: run_command(lambda: asyncio.run(_prepare(settings, ssh=ssh is not None)))):
        return code
    metrics.share(settings.data / "metrics" / str(settings.port))
    sockets = [each for each in (*chain.from_iterable(listeners), ssh) if each is not None]
    children: dict[str, ChildWork] = {
        f"http-{number}": partial(_child, settings, sockets, listener, None)
        for number, listener in enumerate(listeners, 1)
    }
    if ssh is not None or settings.jobs != "inline":
        children["jobs"] = partial(_child, settings, sockets, None, ssh)
    supervisor = Supervisor(
        children,
        grace=settings.grace_seconds + SHUTDOWN_SECONDS,
        ready=announce,
        stopping=partial(_close, sockets),
    )
    return supervisor.run()


def _close(listeners: list[socket.socket]) -> None:
    for listener in listeners:
        listener.close()


async def _prepare(settings: Settings, *, ssh: bool) -> None:
    async with upgraded_services(settings) as services:
        await prepare_instance(services, ssh=ssh)


async def prepare_instance(services: Services, *, ssh: bool) -> None:
    """What each start prepares is done, and there is an administrator; and a key for SSH, if that is served."""
    await prepare(services)
    if ssh:
        ssh_host_key(services.settings.data)  # before the server is ready: afterward, storage may be full
    if services.secondary is None:
        _print(await create_root(services))
        await record_edition(services.database, services.settings.edition)


def _child(
    settings: Settings,
    sockets: list[socket.socket],
    http: HttpSockets | None,
    ssh: socket.socket | None,
    parent: ParentLink,
) -> int:
    own = (*(http or ()), ssh)
    _close([other for other in sockets if other not in own])  # a copy in another process would keep the port open
    return run_command(lambda: asyncio.run(_run_child(settings, http, ssh, parent)))


async def _run_child(
    settings: Settings, http: HttpSockets | None, ssh: socket.socket | None, parent: ParentLink
) -> None:
    if http is None:
        _yield_to_requests()
    async with open_services(settings) as services:
        ports = count_ports(*(http or ()), ssh)
        running = _background(services, ssh, ports) if http is None else _http(services, http, ports)
        await run(services, running, parent.ready, parent.parent_fd)


@asynccontextmanager
async def upgraded_services(settings: Settings, product: Product = PRODUCT) -> AsyncGenerator[Services]:
    """The services, on a database with the schema of this version. On a secondary, the primary upgrades it."""
    secondary = find_secondary(product, settings)
    if secondary is not None:
        _print(await migrate(secondary.registry_url))
    async with open_services(settings, product, checks_schema=True) as services:
        yield services


@asynccontextmanager
async def open_services(
    settings: Settings, product: Product = PRODUCT, *, checks_schema: bool = False
) -> AsyncGenerator[Services]:
    """The services. With `checks_schema`, the database gets the schema of this version, and that of a secondary must have it."""
    is_primary = find_secondary(product, settings) is None
    if checks_schema:
        await reach_files(settings)  # before the database is made or upgraded
    database = connect(settings.database, pooler=settings.database_pooler_url)
    await database.open()
    try:
        # a look is cheaper than the further connections of `migrate`
        if checks_schema and (state := await schema_state(database)) != "current":
            if not is_primary:
                raise CommandError(
                    f"The database has another schema than this Mujina ({state}): install that of the primary."
                )
            if state == "older":
                await find_vault(database, settings)  # refused without its key, the database stays as it is
            _print(await migrate(settings.database))
        services = await app.services_for(settings, database, product)
        await recover_clock(database, services.product, ends_waits=is_primary)
        if is_primary:
            await recover_pushes(database)
        try:
            async with as_secondary(services) as node:
                yield node
        finally:
            services.passwords.close()
    finally:
        await database.close()


def _http(services: Services, sockets: HttpSockets, ports: int) -> list[Service]:
    server = HttpServer(app.build(services), sockets.main, services.settings, ports=ports)
    idle = IdleWork(warm_up(services.product), server.is_busy)
    served: list[Service] = [server, idle, *site_servers(services, sockets, ports)]
    # A secondary reads the documents that the primary stores, and records nothing.
    if services.secondary is not None:
        return served
    return [*served, DocumentWriter(services.database), TokenUseWriter(services)]


def site_servers(services: Services, sockets: HttpSockets, ports: int) -> list[Service]:
    """The servers of sites, on the listeners that there are."""
    servers: list[Service] = []
    settings = services.settings
    if sockets.sites is not None:
        servers.append(HttpServer(app.sites(services), sockets.sites, settings, ports=ports))
    if sockets.sites_tls is not None:
        certificates = app.site_certificates(services)
        server = HttpServer(app.sites(services), sockets.sites_tls, settings, certificates.context, ports=ports)
        servers += [certificates, server]
    return servers


async def run(
    services: Services, running: list[Service], ready: Callable[[], None], parent_fd: int | None = None
) -> None:
    try:
        await run_services(running, grace=services.settings.grace_seconds, ready=ready, parent_fd=parent_fd)
    finally:
        request_log.flush()


class ReadyServer(msgspec.Struct, frozen=True, kw_only=True):
    """The content of the ready file."""

    url: str
    external_url: str | None
    ssh_url: str | None
    host: str
    port: int
    ssh_port: int | None
    pid: int
    token: str | msgspec.UnsetType
    """Root's token, in the testing mode."""


def _prepare_ready_file(path: Path) -> None:
    """Remove the file of a former start, and check that a new one can be written."""
    check_output_file(path)
    try:
        path.touch()
        path.unlink()
    except OSError as error:
        raise CommandError(f"--ready-file: {path} is not writable ({error.strerror}): choose another.") from None


def _announce(settings: Settings, ready_file: Path | None, *, ssh: bool) -> None:
    """Say that the server is ready: a reader of the output finds the ready file written, and both lines at once."""
    external = f" ({settings.external_url})" if settings.external_url else ""
    ssh_url = settings.local_url.replace("http://", "ssh://git@").removesuffix(f":{settings.port}")
    ssh_url = f"{ssh_url}:{settings.ssh_port}" if ssh else None
    lines = [f"Mujina is ready at {settings.local_url}{external}"]
    if ssh_url:
        external = f" ({settings.ssh_external_url})" if settings.ssh_external_url else ""
        lines.append(f"Git over SSH is served at {ssh_url}{external}")
    host = settings.local_url.removeprefix("http://").removesuffix(f":{settings.port}")
    external = f" ({settings.pages_url})" if settings.pages_url else ""
    for scheme, port in (("http", settings.pages_port), ("https", settings.pages_tls_port)):
        if port is not None:
            lines.append(f"Sites are served at {scheme}://{host}:{port}{external}")
    token = settings.root_token if is_for_tests(settings.data) else None
    if ready_file is not None:
        ssh_port = settings.ssh_port if ssh else None
        ready = ReadyServer(
            url=settings.local_url, external_url=settings.external_url, ssh_url=ssh_url, host=settings.host,
            port=settings.port, ssh_port=ssh_port, pid=os.getpid(), token=token or msgspec.UNSET,
        )  # fmt: skip
        try:
            write_json(ready_file, ready)
        except OSError as error:
            lines.append(f"--ready-file: {ready_file} could not be written: {error.strerror}.")
    _print("\n".join(lines))


def _print(sentence: str | None) -> None:
    if sentence:
        try:
            print(sentence, flush=True)
        except BrokenPipeError:  # the server goes on without a reader
            discard_output()
        except OSError:  # a full disk must not end the server
            pass
