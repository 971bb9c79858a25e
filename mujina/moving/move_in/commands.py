"""`mujina move-in` and `mujina imported`."""

import asyncio
import getpass
import json
import os
import sys
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Annotated, Any, Final
from urllib.parse import urlsplit

from cyclopts import App, Parameter

from mujina.cli.commands.backups import shown_progress
from mujina.cli.consequences import composed_database, database_to_change, services_of
from mujina.cli.errors import CommandError
from mujina.cli.instance import DEFAULT_INSTANCE, Instance
from mujina.cli.lookup import find_person_or_fail
from mujina.cli.output import print_table
from mujina.configuration import MOVE_IN_TOKEN
from mujina.moving.archives.scratch import new_scratch
from mujina.moving.archives.unpacking import UnusableArchive
from mujina.moving.move_in import claims
from mujina.moving.move_in.operations import MoveIn, MoveRequest
from mujina.moving.move_in.people import UnknownUser, read_people
from mujina.moving.move_in.report import MoveReport
from mujina.moving.sources.archive import Archive
from mujina.moving.sources.detection import SourceKind
from mujina.moving.sources.opening import open_archive
from mujina.settings import Settings

SHOWN_PROBLEMS: Final = 20
UNAVAILABLE: Final = "The source stopped answering, or refused the token: run the command again to continue."
NOT_THERE: Final = (
    "The source does not give what is to be moved: check its address, the path, what the token may read, and `outbound_allow` "
    "for a source on a private network; then run the command again."
)
imported = App(name="imported")


def move_in(
    source: Annotated[str, Parameter(help="Address, such as https://gitlab.example.com, or an archive.")],
    *,
    group: Annotated[str | None, Parameter(help="Move this group with everything below it.")] = None,
    project: Annotated[str | None, Parameter(help="Move this project.")] = None,
    into: Annotated[
        str | None, Parameter(help="Group here that receives it. Unset: the path that it has there.")
    ] = None,
    kind: Annotated[
        SourceKind | None, Parameter(name="--from", help="Software of the source. Unset: detected.")
    ] = None,
    dry_run: Annotated[bool, Parameter(help="Only count; write the map of people to --people.", negative="")] = False,
    people: Annotated[
        Path | None, Parameter(help="JSON file that maps usernames at the source to usernames here.")
    ] = None,
    report: Annotated[Path | None, Parameter(help="Write the report to this file, as JSON.")] = None,
    instance: Instance = DEFAULT_INSTANCE,
) -> int:
    """Move groups and projects from another forge or an archive; run it again to continue, or to import changes.

    MUJINA_MOVE_IN_TOKEN has the token, which is asked for otherwise. Without --group and --project, every project of
    which its user is a member is moved; of an archive, what it has.
    """
    if group is not None and project is not None:
        raise CommandError("Give --group or --project, not both.")
    asyncio.run(_check(instance))
    for file in (report, people if dry_run else None):
        if file is not None:
            _check_writable(file)
    names = {} if people is None or dry_run else _read_people(people)
    with ExitStack() as opened:
        if "://" in source:
            request = MoveRequest(_address(source), _token(), group=group, project=project, into=into, kind=kind)
        else:
            archive = opened.enter_context(_archive(Path(source), project, instance.settings()))
            if group is None and project is None:
                group, project = archive.manifest.group, archive.manifest.project
            request = MoveRequest(archive.address, "", group=group, project=project, into=into, archive=archive)
        return _finish(asyncio.run(_move(instance, request, names, people, dry_run=dry_run)), report)


async def _check(instance: Instance) -> None:
    """Refuse an instance that cannot be changed before an archive is unpacked or a token asked for."""
    async with instance.database(to_change=True):
        pass


async def _move(
    instance: Instance, request: MoveRequest, names: dict[str, str | None], people: Path | None, *, dry_run: bool
) -> MoveReport:
    async with services_of(instance) as services:
        try:
            with shown_progress() as progress:
                move = MoveIn(services, request, progress, dry_run=dry_run)
                if dry_run:
                    found = await move.count()
                    if people is not None:
                        _write(people, found)
                else:
                    await move.move(names)
        except UnknownUser as error:
            raise CommandError(f"The map of people names {error}, and there is no such user here.") from None
    return move.report


def _finish(outcome: MoveReport, file: Path | None) -> int:
    """Show and write the report; the exit code of the command."""
    result = outcome.as_json()
    if file is not None:
        _write(file, result)
    _show(result)
    if outcome.complete:
        return 0
    print(UNAVAILABLE if outcome.unavailable else NOT_THERE, file=sys.stderr)
    return 1


@contextmanager
def _archive(file: Path, project: str | None, settings: Settings) -> Generator[Archive]:
    """The archive, unpacked into a folder that is removed afterward."""
    with new_scratch(settings) as folder:
        try:
            max_bytes = settings.max_archive_megabytes << 20
            archive = open_archive(file, Path(folder), max_bytes, project=project or "")
        except OSError as error:
            raise CommandError(f"{file} cannot be read: {error.strerror}.") from None
        except UnusableArchive as error:
            raise CommandError(f"{file} cannot be read: {error}") from None
        yield archive


def _address(url: str) -> str:
    parts = urlsplit(url)
    if (
        parts.scheme not in ("http", "https")
        or not parts.hostname
        or "@" in parts.netloc
        or parts.query
        or parts.fragment
    ):
        raise CommandError("The address must be that of an instance, such as https://gitlab.example.com.")
    return url.rstrip("/")


def _token() -> str:
    if MOVE_IN_TOKEN in os.environ:
        return os.environ[MOVE_IN_TOKEN].strip()
    if not sys.stdin.isatty():
        raise CommandError(f"Give the token of the source in {MOVE_IN_TOKEN}.")
    return getpass.getpass("Token of the source: ").strip()


def _read_people(path: Path) -> dict[str, str | None]:
    try:
        return read_people(path.read_bytes())
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error.strerror}.") from None
    except ValueError as error:
        raise CommandError(f"{path} is no map of people: {error}.") from None


def _check_writable(path: Path) -> None:
    """Refuse a file that could not be written when the move is done."""
    if path.is_dir() or not os.access(path if path.exists() else path.parent, os.W_OK):
        raise CommandError(f"{path} cannot be written: name a file in a folder that exists and is yours.")


def _write(path: Path, content: Any) -> None:
    try:
        path.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", "utf-8")
    except OSError as error:
        raise CommandError(f"{path} cannot be written: {error.strerror}.") from None


def _show(result: dict[str, Any]) -> None:
    counts = [(kind, "found", count) for kind, count in result["found"].items()]
    counts += [(kind, "created", count) for kind, count in result["created"].items() if count]
    counts += [(kind, "updated", count) for kind, count in result["updated"].items() if count]
    if counts:
        print_table(("what", "", "how many"), counts)
    else:
        print("Nothing to move.")
    if needed := result["estimate"]:
        space = (needed["file_bytes"] + needed["database_bytes"]) / 1e6
        unknown = f", and {needed['unknown_sizes']} projects of unknown size" if needed["unknown_sizes"] else ""
        print(f"\nThe move needs about {needed['seconds'] // 60 + 1} minutes and {space:.0f} MB{unknown}.")
    problems = result["problems"]
    if problems:
        print()
        shown = [(problem["address"], problem["reason"]) for problem in problems[:SHOWN_PROBLEMS]]
        print_table(("did not come", "why"), shown)
        rest = len(problems) - len(shown) + result["unlisted_problems"]
        if rest:
            print(f"And {rest} more: --report FILE writes them all.")


@imported.command(name="list")
async def show(*, instance: Instance = DEFAULT_INSTANCE) -> None:
    """List the people of other forges who have no user here: the authors of what was moved."""
    async with composed_database(instance) as database, database.reading() as tx:
        names = await claims.list_imported(tx)
    print_table(("username", "name", "source"), [(each.username, each.name, each.source) for each in names])


@imported.command
async def claim(name: str, username: str, *, instance: Instance = DEFAULT_INSTANCE) -> None:
    """Give what an imported name wrote to the user who is that person. They get no rights by it."""
    async with database_to_change(instance) as database:
        async with database.reading() as tx:
            found, user = await claims.find_imported(tx, name), await find_person_or_fail(tx, username)
        if found is None:
            raise CommandError(f"There is no imported name {name}: `mujina imported list` shows them.")
        await claims.claim(database, found, user.id)
    print(f"What {found.username} wrote is now {user.username}'s.")
