"""The process of the testing mode, once its database is prepared."""

import asyncio
import socket
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path

from mujina import app
from mujina.cli.commands import server_processes
from mujina.cli.commands.server_processes import HttpSockets
from mujina.kernel.product import Product
from mujina.kernel.services import Service
from mujina.processes.http_server import HttpServer
from mujina.product import PRODUCT
from mujina.settings import Settings
from mujina.testing.manifest import CHAPTER


def serve(
    settings: Settings,
    ready_file: Path | None,
    prepared: Future[None],
    parent_fd: int | None,
    remove: Callable[[], None],
) -> int:
    """Serve HTTP and SSH until interrupted, or until `parent_fd` is closed; `remove` is called when nothing is served any more."""

    async def run(
        settings: Settings, sockets: HttpSockets, ssh: socket.socket | None, announce: Callable[[], None]
    ) -> None:
        try:
            _import_until(prepared)
            await asyncio.wrap_future(prepared)
            await _run(settings, sockets, ssh, announce, parent_fd)
        finally:  # the process ends here
            remove()

    return server_processes.serve(settings, ready_file, run)


def _import_until(prepared: Future[None]) -> None:
    """Use the time that the database takes for what the first requests need: tests ask at once."""
    for chapter in PRODUCT.chapters:
        for name in ("tasks", "routes"):
            if prepared.done():
                return
            chapter.modules(name)


async def _run(
    settings: Settings,
    sockets: HttpSockets,
    ssh: socket.socket | None,
    announce: Callable[[], None],
    parent_fd: int | None,
) -> None:
    """Run HTTP and SSH in this process. Jobs run within requests, and no entity is stored for the next reader."""
    async with server_processes.upgraded_services(settings, Product([*PRODUCT.chapters, CHAPTER])) as services:
        await server_processes.prepare_instance(services)
        running: list[Service] = [HttpServer(app.build(services), sockets.main, settings)]
        running += server_processes.site_servers(services, sockets)
        if ssh is not None:
            running.append(app.ssh_server(services, ssh))
        await server_processes.run(services, running, announce, parent_fd)
