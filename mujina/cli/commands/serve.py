"""`mujina serve` and `mujina worker`."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from mujina.cli.commands import serving
from mujina.cli.instance import DEFAULT_INSTANCE, Instance, flag


def serve(
    *,
    instance: Instance = DEFAULT_INSTANCE,
    host: Annotated[str | None, flag("host")] = None,
    port: Annotated[str | None, flag("port")] = None,
    workers: Annotated[str | None, flag("workers")] = None,
    ssh_port: Annotated[str | None, flag("ssh_port")] = None,
    ready_file: Annotated[
        Path | None, Parameter(help="File to write when the server is ready: a JSON object with its addresses and pid.")
    ] = None,
) -> int:
    """Serve until interrupted. The first start creates the data folder, the database and the administrator `root`."""
    settings = instance.settings(host=host, port=port, workers=workers, ssh_port=ssh_port)
    return serving.serve(settings, ready_file)


def worker(*, instance: Instance = DEFAULT_INSTANCE) -> int:
    """Run jobs and schedules until interrupted, next to any number of `mujina serve` on the same database."""
    return serving.work(instance.settings())
