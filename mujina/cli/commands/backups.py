"""`mujina backup`."""

import asyncio
import getpass
import sys
from collections.abc import Generator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter
from cyclopts.validators import Number

from mujina.backups.backing_up import back_up
from mujina.backups.encryption import BackupCredentials
from mujina.backups.errors import BackupError
from mujina.backups.manifest import Manifest, list_sets, open_header, read_manifest
from mujina.backups.parts import PartReader, Progress
from mujina.backups.targets import open_target
from mujina.cli.errors import CommandError
from mujina.cli.instance import DEFAULT_INSTANCE, Instance
from mujina.cli.output import print_table
from mujina.cli.secondary import refuse_on_secondary
from mujina.configuration import settings_file
from mujina.instance.identity.operations import find_vault
from mujina.kernel import deferred_imports
from mujina.kernel.concurrency.priority import run_with_low_priority
from mujina.settings import Settings

backup = App(name="backup")
TargetName = Annotated[
    str, Parameter(name="TARGET", help="Folder, or s3://BUCKET/PREFIX with the credentials of the environment.")
]
KeyFile = Annotated[
    Path | None, Parameter(help="File of at least 32 random bytes that encrypts, instead of a passphrase.")
]


@backup.default
def make(
    target: TargetName,
    *,
    encrypt: Annotated[
        bool,
        Parameter(
            negative="", help="Encrypt a new target with the passphrase of MUJINA_BACKUP_PASSPHRASE, or ask for it."
        ),
    ] = False,
    key_file: KeyFile = None,
    keep: Annotated[
        int | None,
        Parameter(help="Number of newest sets to keep; older ones are removed afterward.", validator=Number(gte=1)),
    ] = None,
    instance: Instance = DEFAULT_INSTANCE,
) -> None:
    """Back up this instance to TARGET while it is used: a folder or a bucket that may have earlier backups of it."""
    settings = instance.settings()
    refuse_on_secondary(settings)
    asyncio.run(_check_instance(instance))
    place = open_target(target)
    with shown_progress() as progress:
        made = run_with_low_priority(partial(  # requests come first
            back_up, settings, place, credentials(settings, key_file, new=place.is_empty()),
            encrypt=encrypt or key_file is not None, keep=keep,
            settings_file=settings_file(settings.data, instance.config), progress=progress,
        ))  # fmt: skip
    print(f"Backed up as {made.id}: {described(made)}, of which {_size(made.new_bytes)} are new in {place}.")


@backup.command(name="list")
def show(target: TargetName, *, key_file: KeyFile = None, instance: Instance = DEFAULT_INSTANCE) -> None:
    """List the sets in TARGET, oldest first."""
    place = open_target(target)
    cipher = open_header(place, credentials(instance.settings(), key_file))
    rows = list[tuple[object, ...]]()
    for id in list_sets(place):
        try:
            found = read_manifest(place, cipher, id)
        except BackupError as error:
            rows.append((id, "", "", "", "", "", str(error)))
        else:
            rows.append(
                (
                    id,
                    found.version,
                    found.repositories,
                    len(found.files),
                    found.rows,
                    _size(found.bytes),
                    _size(found.new_bytes),
                )
            )
    print_table(("id", "version", "repositories", "files", "rows", "size", "new"), rows)


@backup.command
def verify(
    target: TargetName,
    *,
    at: Annotated[str | None, Parameter(help="Only the set with this ID.")] = None,
    key_file: KeyFile = None,
    instance: Instance = DEFAULT_INSTANCE,
) -> int:
    """Read everything in TARGET, and name each set and part that is missing or damaged."""
    place = open_target(target)
    cipher = open_header(place, credentials(instance.settings(), key_file))
    problems, sound = dict[str, None](), set[str]()
    with place.reading(), shown_progress() as progress:
        ids = list_sets(place)
        if not ids:
            raise CommandError(f"There is no complete set in {place}.")
        if at is not None:
            if at not in ids:
                raise CommandError(f"There is no set {at} in {place}.")
            ids = [at]
        for done, id in enumerate(ids):
            progress("sets", done, len(ids))
            try:
                found = read_manifest(place, cipher, id)
            except BackupError as error:
                problems[str(error)] = None
            else:
                problems |= dict.fromkeys(PartReader(place, cipher, found).problems(sound, progress))
    for problem in problems:
        print(f"PROBLEM  {problem}")
    if problems:
        print(f"Delete what is damaged in {place}: the next backup stores anew what the instance still has.")
    if not problems:
        print(f"Complete and undamaged sets in {place}: {len(ids)}.")
    return 1 if problems else 0


async def _check_instance(instance: Instance) -> None:
    """The instance exists with its key, and its database has the schema of this version or of an older one.

    `UnreadableSecret` otherwise: what is restored from a set with another key could not be read.
    """
    async with instance.database(older=True) as database:
        await find_vault(database, instance.settings())


def credentials(settings: Settings, key_file: Path | None, *, new: bool = False) -> BackupCredentials:
    def passphrase() -> str:
        if settings.backup_passphrase:
            return settings.backup_passphrase
        if not sys.stdin.isatty():
            raise CommandError(
                "These backups need a passphrase: set MUJINA_BACKUP_PASSPHRASE, or run this on a terminal."
            )
        entered = getpass.getpass("Passphrase of the backups: ")
        if new and getpass.getpass("Once more: ") != entered:
            raise CommandError("The two passphrases differ.")
        return entered

    return BackupCredentials(passphrase, key_file)


def described(manifest: Manifest) -> str:
    return (
        f"{manifest.repositories} repositories, {len(manifest.files)} files and {manifest.rows} rows, "
        f"{_size(manifest.bytes)}"
    )


def _size(size: float) -> str:
    for unit in ("B", "kB", "MB", "GB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} TB"


@contextmanager
def shown_progress() -> Generator[Progress]:
    """A bar for each kind of work on a terminal; elsewhere nothing."""
    if not sys.stderr.isatty():
        yield lambda _name, _done, _total: None
        return
    bars = deferred_imports.progress_bars()
    console = deferred_imports.terminal(sys.stderr)
    with bars.Progress(*bars.Progress.get_default_columns(), bars.MofNCompleteColumn(), console=console) as shown:
        tasks = dict[str, bars.TaskID]()

        def progress(name: str, done: int, total: int) -> None:
            if name not in tasks:
                tasks[name] = shown.add_task(name, total=total)
            shown.update(tasks[name], completed=done, total=total)

        yield progress
