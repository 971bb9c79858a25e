"""`mujina export`."""

import asyncio
import sys
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO, Annotated

from cyclopts import Parameter

from mujina.cli.consequences import services_of
from mujina.cli.errors import CommandError
from mujina.cli.instance import DEFAULT_INSTANCE, Instance
from mujina.cli.prerequisites import check_output_file
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
    check_output_file(file)
    try:
        problems = asyncio.run(_export(instance, path, file, export_group if group else export_project))
    except SourceError as error:
        if error.status == HTTPStatus.NOT_FOUND:
            kind, other = ("group", "without") if group else ("project", "with")
            raise CommandError(f"There is no {kind} {path}: check the path, or run this {other} --group.") from None
        raise CommandError(f"{path} cannot be exported: {error.reason}") from None
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"{path} is in {file}.")


async def _export(instance: Instance, path: str, file: Path, write: WriteArchive) -> list[str]:
    """What is not in the archive, and why. The file appears when it is whole."""
    problems = list[str]()

    def list_problem(address: str, reason: str) -> None:
        problems.append(f"{address}: {reason}")

    async with services_of(instance, to_change=False) as services:
        with _written_whole(file) as draft:
            await write(services, path, draft, list_problem)
    return problems


@contextmanager
def _written_whole(file: Path) -> Generator[IO[bytes]]:
    """A draft that only its owner can read, under a name that no one can foresee; afterward it is the file."""
    draft = ""
    try:
        with NamedTemporaryFile(prefix=".mujina-export-", dir=file.parent, delete=False) as output:
            draft = output.name
            yield output
        Path(draft).replace(file)
    except OSError as error:
        if error.filename is not None and Path(error.filename).parent != file.parent:
            raise  # what is unpacked on the way is in the data folder
        raise CommandError(f"{file} cannot be written: {error.strerror}.") from None
    finally:
        if draft:
            Path(draft).unlink(missing_ok=True)
