"""`mujina export`."""

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import IO, Annotated

from cyclopts import Parameter

from mujina.cli.consequences import services_of
from mujina.cli.errors import CommandError
from mujina.cli.instance import DEFAULT_INSTANCE, Instance
from mujina.kernel.services import Services
from mujina.moving.archives.operations import export_group, export_project
from mujina.moving.sources.forge import ReportProblem
from mujina.moving.sources.operations import SourceError

WriteArchive = Callable[[Services, str, IO[bytes], ReportProblem], Awaitable[None]]


def export(
    path: Annotated[str, Parameter(help="Path of the project or group, such as team/app.")],
    file: Annotated[Path, Parameter(help="File to write, such as app.tar.gz.")],
    *,
    group: Annotated[
        bool, Parameter(help="PATH is that of a group: everything below it is written.", negative="")
    ] = False,
    instance: Instance = DEFAULT_INSTANCE,
) -> None:
    """Export a project to FILE, including confidential data but no secrets. `move-in` reads it."""
    problems = asyncio.run(_export(instance, path, file, export_group if group else export_project))
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"{path} is in {file}.")


async def _export(instance: Instance, path: str, file: Path, write: WriteArchive) -> list[str]:
    """What is not in the archive, and why. The file appears when it is whole."""
    problems = list[str]()

    def list_problem(address: str, reason: str) -> None:
        problems.append(f"{address}: {reason}")

    draft = file.with_name(f"{file.name}.part")
    async with services_of(instance, to_change=False) as services:
        try:
            with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as output:
                await write(services, path, output, list_problem)
            draft.replace(file)
        except SourceError as error:
            draft.unlink()
            raise CommandError(f"{path} cannot be exported: {error.reason}") from None
        except OSError as error:
            if error.filename is not None and Path(error.filename) not in (draft, file):
                draft.unlink(missing_ok=True)
                raise  # what is unpacked on the way is in the data folder
            raise CommandError(f"{file} cannot be written: {error.strerror}.") from None
    return problems
