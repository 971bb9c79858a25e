"""The process of the testing mode, once its database is prepared."""

import os
import socket
import sys
from collections.abc import Callable
from pathlib import Path

from mujina import app
from mujina.cli.commands import server_processes
from mujina.cli.commands.server_processes import HttpSockets
from mujina.cli.errors import CommandError
from mujina.kernel.product import Product
from mujina.kernel.services import Service
from mujina.processes.http_server import HttpServer
from mujina.processes.supervisor import exit_code
from mujina.product import PRODUCT
from mujina.settings import Settings
from mujina.testing.manifest import CHAPTER


def serve(
    settings: Settings,
    ready_file: Path | None,
    preparation: int,
    parent_fd: int | None,
    remove: Callable[[], None],
) -> int:
    """Serve HTTP and SSH until interrupted, or until `parent_fd` is closed; `remove` is called when nothing is served any more.

    `preparation` is the process that prepares the database.
    """

    async def run(
        settings: Settings, sockets: HttpSockets, ssh: socket.socket | None, announce: Callable[[], None]
    ) -> None:
        try:
            _import_beside(preparation)
            await _run(settings, sockets, ssh, announce, parent_fd)
        finally:  # the process ends here
            remove()

    return server_processes.serve(settings, ready_file, run)


def _import_beside(preparation: int) -> None:
    """Wait for the database, and use the time for what the first requests need: tests ask at once."""
    for chapter in PRODUCT.chapters:
        for name in ("tasks", "routes"):
            if _has_ended(preparation):
                break
            chapter.modules(name)
    if code := exit_code(preparation):
        if code < 0:
            raise CommandError("The process that prepares the database was killed: start the server again.")
        sys.exit(code)  # it has said why


def _has_ended(child: int) -> bool:
    """Whether the child has ended; its exit code is still to be read."""
    return os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


async def _run(
    settings: Settings,
    sockets: HttpSockets,
    ssh: socket.socket | None,
    announce: Callable[[], None],
    parent_fd: int | None,
) -> None:
    """Run HTTP and SSH in this process. Jobs run within requests, and no entity is stored for the next reader."""
    async with server_processes.upgraded_services(settings, Product([*PRODUCT.chapters, CHAPTER])) as services:
        await server_processes.prepare_instance(services, ssh=ssh is not None)
        ports = server_processes.count_ports(*sockets, ssh)
        running: list[Service] = [HttpServer(app.build(services), sockets.main, settings, ports=ports)]
        running += server_processes.site_servers(services, sockets, ports)
        if ssh is not None:
            running.append(app.ssh_server(services, ssh, ports))
        await server_processes.run(services, running, announce, parent_fd)
