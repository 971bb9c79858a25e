"""`mujina restore`."""

import asyncio
from typing import Annotated

import msgspec
from cyclopts import Parameter

from mujina import app
from mujina.backups.errors import BackupError
from mujina.backups.manifest import Manifest, list_sets, open_header, read_manifest
from mujina.backups.only.restoring import Restored, restore_only
from mujina.backups.parts import PartReader
from mujina.backups.restoring import finish
from mujina.backups.restoring import restore as restore_set
from mujina.backups.targets import open_target
from mujina.cli.commands.backups import KeyFile, TargetName, credentials, described, shown_progress
from mujina.cli.commands.doctor import run_checks
from mujina.cli.errors import CommandError
from mujina.cli.instance import DEFAULT_INSTANCE, Instance
from mujina.cli.secondary import refuse_on_secondary
from mujina.kernel.db.errors import DatabaseError
from mujina.settings import Settings


def restore(
    target: TargetName,
    *,
    at: Annotated[str | None, Parameter(help="ID of the set. Unset: the newest.")] = None,
    only: Annotated[
        str | None, Parameter(help="Path of one project or group, which is restored into an existing instance.")
    ] = None,
    place: Annotated[
        str | None, Parameter(name="--as", help="Path under which --only restores it. Unset: its own.")
    ] = None,
    key_file: KeyFile = None,
    instance: Instance = DEFAULT_INSTANCE,
) -> int:
    """Restore a set of TARGET into an empty data folder and an empty database, or one project of it into an instance."""
    settings = instance.settings()
    refuse_on_secondary(settings)
    store = open_target(target)
    cipher = open_header(store, credentials(settings, key_file))
    if only is None and place is not None:
        raise CommandError("--as is the path of what --only restores: give both.")
    with store.reading():
        ids = list_sets(store)
        if not ids:
            raise CommandError(f"There is no complete set in {store}.")
        manifest = read_manifest(store, cipher, at or ids[-1])
        if only is not None:
            return asyncio.run(_restore_only(instance, PartReader(store, cipher, manifest), manifest, only, place))
        with shown_progress() as progress:
            restore_set(settings, store, cipher, manifest, progress)
    code = asyncio.run(run_checks(_anywhere(settings)))
    finish(settings.data)
    print(f"Restored the set {manifest.id} of {manifest.created_at} into {settings.data}: {described(manifest)}.")
    return code


def _anywhere(settings: Settings) -> Settings:
    """A server may run beside the restored instance."""
    return msgspec.structs.replace(settings, port=0, ssh_port=0, pages_port=None, pages_tls_port=None)


async def _restore_only(
    instance: Instance, reader: PartReader, manifest: Manifest, only: str, place: str | None
) -> int:
    settings = instance.settings()
    async with instance.database() as database:
        services = await app.services_for(settings, database)
        try:
            with shown_progress() as progress:
                restored = await restore_only(services, reader, manifest, only, place, progress)
        except DatabaseError as error:
            raise BackupError(f"{only} was not restored, and nothing was changed: {error}") from error
        finally:
            services.passwords.close()
    code = await run_checks(_anywhere(settings))
    if restored is None:
        print(f"{only} of the set {manifest.id} is restored: an earlier call had come to its end but for the checks.")
    else:
        _report(restored, only, manifest)
    return code


def _report(restored: Restored, only: str, manifest: Manifest) -> None:
    if restored.missing_people:
        print(f"Not here, so not members; what they wrote is the ghost user's: {', '.join(restored.missing_people)}.")
    if restored.left_out:
        rows = ", ".join(f"{count} of {name}" for name, count in restored.left_out.items())
        print(f"Left out, because of what is not here or is taken: {rows}.")
    if restored.missing_files:
        print(f"Files that the set lacks: {', '.join(restored.missing_files)}.")
    if restored.unreadable_secrets:
        print(f"Secrets that cannot be read, to be entered again: {restored.unreadable_secrets}.")
    print(
        f"Restored {only} of the set {manifest.id} of {manifest.created_at} as {restored.path}: "
        f"{restored.projects} projects, {restored.rows} rows and {restored.files} files."
    )
