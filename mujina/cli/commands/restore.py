"""`mujina restore`."""

import asyncio
from typing import Annotated

import msgspec
from cyclopts import Parameter

from mujina.backups.manifest import list_sets, open_header, read_manifest
from mujina.backups.restoring import finish
from mujina.backups.restoring import restore as restore_set
from mujina.backups.targets import open_target
from mujina.cli.commands.backups import KeyFile, TargetName, credentials, described, shown_progress
from mujina.cli.commands.doctor import run_checks
from mujina.cli.errors import CommandError
from mujina.cli.instance import DEFAULT_INSTANCE, Instance


def restore(
    target: TargetName,
    *,
    at: Annotated[str | None, Parameter(help="ID of the set. Unset: the newest.")] = None,
    key_file: KeyFile = None,
    instance: Instance = DEFAULT_INSTANCE,
) -> int:
    """Restore a set of TARGET into an empty data folder and an empty database, and check the result."""
    settings = instance.settings()
    place = open_target(target)
    cipher = open_header(place, credentials(settings, key_file))
    ids = list_sets(place)
    if not ids:
        raise CommandError(f"There is no complete set in {place}.")
    manifest = read_manifest(place, cipher, at or ids[-1])
    with shown_progress() as progress:
        restore_set(settings, place, cipher, manifest, progress)
    anywhere = msgspec.structs.replace(settings, port=0, ssh_port=0)  # a server may run beside the restored instance
    code = asyncio.run(run_checks(anywhere))
    finish(settings.data)
    print(f"Restored the set {manifest.id} of {manifest.created_at} into {settings.data}: {described(manifest)}.")
    return code
