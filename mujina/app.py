"""Wires the entry points: the services and the processes of the product that `product.py` composes."""

import socket
from collections.abc import Awaitable
from datetime import timedelta
from functools import cache, partial
from importlib import import_module
from typing import Any

from mujina.accounts.credentials.authentication import find_actor
from mujina.accounts.keys.rules import find_key
from mujina.adapters.storage import FileStorage
from mujina.git.lfs.endpoint import Lfs, is_for_lfs
from mujina.git.smart_http import SmartHttp, is_for_git
from mujina.git.ssh import SshServer
from mujina.instance.editions.rules import register_edition
from mujina.instance.identity.operations import open_vault
from mujina.kernel.build import VERSION
from mujina.kernel.db.transaction import Database, contention_key
from mujina.kernel.http.api import raw_path
from mujina.kernel.http.applications import APPLICATIONS, MIDDLEWARE, SITE_CERTIFICATES, SITES, Application, TlsService
from mujina.kernel.http.requests.checks import find_fault, send_error
from mujina.kernel.http.requests.log import RequestLog
from mujina.kernel.jobs.inline import InlineJobs
from mujina.kernel.jobs.processes import BACKGROUND_SERVICES, BackgroundProcess, BackgroundService
from mujina.kernel.jobs.runner import Runner
from mujina.kernel.jobs.tasks import tasks_of
from mujina.kernel.limits.requests import RequestLimits, with_limit_headers
from mujina.kernel.monitoring.metrics import count_job
from mujina.kernel.monitoring.readiness import read_gauges, run_checks
from mujina.kernel.passwords import Passwords
from mujina.kernel.product import Product
from mujina.kernel.secrets import Vault, instance_key
from mujina.kernel.services import Services, find_secondary
from mujina.processes.listener import connection_limit
from mujina.product import PRODUCT
from mujina.settings import Settings
from mujina.web.health import Health
from mujina.web.uploads import Uploads


def compose(settings: Settings, database: Database, product: Product = PRODUCT) -> None:
    """Gives a change of the database all its consequences, as these settings demand."""
    database.product = product
    database.settings = settings
    register_edition(settings.edition)


async def services_for(settings: Settings, database: Database, product: Product = PRODUCT) -> Services:
    """The services of the instance of this database; `UnreadableSecret`, and nothing is written, without its key."""
    compose(settings, database, product)
    vault = await open_vault(database, settings, is_primary=find_secondary(product, settings) is None)
    return build_services(settings, database, product, vault)


def build_services(
    settings: Settings, database: Database, product: Product = PRODUCT, vault: Vault | None = None
) -> Services:
    """The services that every entry point and job of this process shares. Without a vault, the instance is a new one."""
    compose(settings, database, product)
    vault = vault or Vault(instance_key(settings.data, settings.instance_key))
    passwords = Passwords(kilobytes=settings.password_kilobytes, processes=settings.workers)
    return Services(settings, database, vault, passwords, FileStorage(settings))


def build(services: Services) -> Application:
    """All entry points as one ASGI application."""
    api, pages = (_on_demand(module, services) for module in ("mujina.api", "mujina.web.application"))
    git, lfs = SmartHttp(services), Lfs(services)

    async def for_people_and_git(scope: dict[str, Any], receive: Any, send: Any) -> None:
        if is_for_lfs(scope["path"]):
            await lfs(scope, receive, send)
        elif is_for_git(scope["path"], scope["query_string"]):
            await git(scope, receive, send)
        else:
            await pages(scope, receive, send)

    files = Uploads(for_people_and_git, services, find_actor)
    settings = services.settings
    others = Health(files, settings, partial(run_checks, services), VERSION, partial(read_gauges, services))

    by_prefix = [(prefix, make(services)) for prefix, make in services.product.all(APPLICATIONS)] + [("/api/", api)]

    def dispatch(scope: dict[str, Any], receive: Any, send: Any) -> Awaitable[None]:
        path = scope["path"] = raw_path(scope)
        if (fault := find_fault(scope)) is not None:
            return send_error(fault, scope, send)
        contention_key.set(path)
        for prefix, application in by_prefix:
            if path.startswith(prefix):
                return application(scope, receive, send)
        return others(scope, receive, send)

    application: Application = _with_middleware(services, dispatch)
    if RequestLimits(services).on:
        application = with_limit_headers(application)
    return RequestLog(application, services.settings, services.database)


def sites(services: Services) -> Application:
    """The application of the listeners of sites: nothing of the pages, the API or git is reachable there."""
    [make] = services.product.all(SITES)
    return RequestLog(make(services), services.settings, services.database)


def site_certificates(services: Services) -> TlsService:
    """The certificates of sites, for the listener that speaks TLS."""
    [make] = services.product.all(SITE_CERTIFICATES)
    return make(services)


def _on_demand(module: str, services: Services) -> Application:
    """What `build` of this module composes, for the first request of it: `warm_up` has imported everything by then."""

    @cache
    def composed() -> Application:
        return import_module(module).build(services)

    def respond(scope: dict[str, Any], receive: Any, send: Any) -> Awaitable[None]:
        return composed()(scope, receive, send)

    return respond


def _with_middleware(services: Services, application: Application) -> Application:
    """The application behind what each chapter puts before it; a secondary runs no jobs."""
    if services.settings.jobs == "inline" and services.secondary is None:
        application = InlineJobs(application, *background_services(services))
    for middleware in services.product.all(MIDDLEWARE):
        application = middleware(application, services)
    return application


def ssh_server(services: Services, listener: socket.socket, ports: int) -> SshServer:
    """The SSH server for git. `ports` is the number of ports at which this process listens, with this one."""
    return SshServer(services, listener, find_key, connection_limit(services.settings.max_connections, ports))


def runner(services: Services) -> Runner:
    """The job runner of this process."""
    return Runner(services, tasks_of(services.product), grace=_grace(services), count=count_job)


def background_services(services: Services) -> list[BackgroundService]:
    """Jobs, and what chapters run beside them."""
    grace = _grace(services)
    return [runner(services), *(make(services, grace=grace) for make in services.product.all(BACKGROUND_SERVICES))]


def background(services: Services) -> BackgroundProcess:
    """The background services, as one process runs them."""
    return BackgroundProcess(services.database, partial(background_services, services))


def _grace(services: Services) -> timedelta:
    """A little less than the whole grace period: unfinished work is released before the process is killed."""
    return timedelta(seconds=services.settings.grace_seconds * 0.8)
