"""`mujina serve` and `mujina worker`."""

from importlib import import_module
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from mujina.cli.commands import server_processes
from mujina.cli.errors import CommandError
from mujina.cli.instance import DEFAULT_INSTANCE, Instance, flag


def serve(
    *,
    instance: Instance = DEFAULT_INSTANCE,
    host: Annotated[str | None, flag("host")] = None,
    port: Annotated[str | None, flag("port")] = None,
    workers: Annotated[str | None, flag("workers")] = None,
    ssh_port: Annotated[str | None, flag("ssh_port")] = None,
    pages_port: Annotated[str | None, flag("pages_port")] = None,
    ready_file: Annotated[
        Path | None, Parameter(help="File to write when the server is ready: a JSON object with its addresses and pid.")
    ] = None,
    testing: Annotated[
        bool,
        Parameter(
            help="Serve test suites on this machine: tests reset and seed it. Without --data, in a new folder, in memory "
            "where that can be, which is removed at the end. See docs/testing.md.",
            negative="",
        ),
    ] = False,
    stop_with_stdin: Annotated[
        bool,
        Parameter(help="With --testing: stop when the standard input ends, as it does with its writer.", negative=""),
    ] = False,
) -> int:
    """Serve until interrupted. The first start creates the data folder, the database and the administrator `root`."""
    if stop_with_stdin and not testing:
        raise CommandError("--stop-with-stdin belongs to --testing.")
    if testing:
        flags = {"host": host, "port": port, "workers": workers, "ssh_port": ssh_port, "pages_port": pages_port}
        flags |= {"data": instance.data, "database_url": instance.database_url}
        serve_for_tests = import_module("mujina.testing.serving").serve_for_tests
        return serve_for_tests(flags, instance.config, ready_file, stop_with_stdin=stop_with_stdin)
    settings = instance.settings(host=host, port=port, workers=workers, ssh_port=ssh_port, pages_port=pages_port)
    return server_processes.serve(settings, ready_file)


def worker(*, instance: Instance = DEFAULT_INSTANCE) -> int:
    """Run jobs and schedules until interrupted, next to any number of `mujina serve` on the same database."""
    return server_processes.work(instance.settings())
