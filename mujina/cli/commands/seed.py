"""`mujina seed`."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Final

import msgspec
import yaml
from cyclopts import Parameter

from mujina import app
from mujina.accounts.credentials.operations import insert_token, revoke_token
from mujina.cli.commands.backups import shown_progress
from mujina.cli.consequences import services_of
from mujina.cli.errors import CommandError
from mujina.cli.instance import DEFAULT_INSTANCE, Instance
from mujina.kernel import clock
from mujina.kernel.db.transaction import Database
from mujina.kernel.permissions.actor import SYSTEM
from mujina.seeds import description
from mujina.seeds.description import World, json_schema
from mujina.seeds.operations import Seeder, SeedFailed
from mujina.seeds.requests import requests_to

PURPOSE: Final = "mujina seed"
"""The name of the token."""
DEMO: Final = "demo"
DEMO_FILE: Final = Path(description.__file__).with_name("demo.yaml")


def seed(
    file: Annotated[
        Path | None,
        Parameter(help="YAML or JSON file that describes users, groups and projects; `demo` is a built-in example."),
    ] = None,
    *,
    schema: Annotated[
        bool, Parameter(help="Print the JSON schema of the file, for editors, and exit.", negative="")
    ] = False,
    instance: Instance = DEFAULT_INSTANCE,
) -> None:
    """Create the users, groups and projects that a file describes; what exists already is left alone."""
    if schema:
        print(json.dumps(json_schema(), indent=2))
    elif file is None:
        raise CommandError("Name a file, or give --schema.")
    else:
        asyncio.run(_seed(_read(DEMO_FILE if str(file) == DEMO and not file.exists() else file), instance))


def _read(path: Path) -> World:
    try:
        world = msgspec.convert(yaml.safe_load(path.read_text("utf-8")) or {}, World)
        msgspec.json.encode(world)  # a `ValueError` for escapes of YAML that no request can carry
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error.strerror}.") from None
    except (yaml.YAMLError, msgspec.ValidationError, ValueError) as error:
        raise CommandError(f"{path} describes no world: {' '.join(str(error).split())}") from None
    except RecursionError:
        raise CommandError(f"{path} describes no world: it is nested too deeply") from None
    except (LookupError, AttributeError):  # PyYAML reads a tag such as `!!bool` whose value is none
        raise CommandError(f"{path} describes no world: a value does not fit its tag") from None
    return world


async def _seed(world: World, instance: Instance) -> None:
    async with services_of(instance) as services:
        try:
            async with _admin_token(services.database) as token:
                ask = requests_to(app.build(services), token, services.settings.url.partition("://")[2])
                with shown_progress() as progress:
                    ids = await Seeder(ask, tokens=False, progress=progress).seed(world)
        except SeedFailed as error:
            reason = " ".join(str(error).split())
            raise CommandError(f"{reason}. What came before it in the file exists.") from None
    print(f"There are {len(ids.users)} users, {len(ids.groups)} groups and {len(ids.projects)} projects of the file.")


@asynccontextmanager
async def _admin_token(database: Database) -> AsyncGenerator[str]:
    """A token of the first administrator, revoked at the end. If the command is killed, it expires within two days."""
    async with database.transaction() as tx:
        admin: int | None = await tx.value(
            "SELECT u.id FROM users u WHERE u.admin AND u.state = 'active' ORDER BY u.id LIMIT 1"
        )
        if admin is None:
            raise CommandError("There is no administrator: create one with `mujina user create NAME --admin`.")
        expires_on = clock.later(timedelta(days=2))[:10]
        made = await insert_token(tx, SYSTEM, admin, PURPOSE, ["api", "sudo"], expires_on=expires_on)
    try:
        yield made.token
    finally:
        async with database.transaction() as tx:
            await revoke_token(tx, SYSTEM, admin, made.id)
