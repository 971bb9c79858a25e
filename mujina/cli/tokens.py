"""`mujina token`."""

import asyncio
from datetime import date
from typing import Annotated

from cyclopts import App, Parameter

from mujina.accounts.credentials import entities, operations
from mujina.cli.instance import Instance
from mujina.cli.output import print_table
from mujina.cli.people import find_person
from mujina.cli.trouble import Trouble
from mujina.kernel import clock
from mujina.kernel.actor import SCOPES

tokens = App(name="token")
HERE = Instance()


@tokens.command
def create(
    username: str,
    *,
    scopes: Annotated[str, Parameter(help=f"Of {', '.join(SCOPES)}, separated by commas.")] = "api",
    name: Annotated[str, Parameter(help="What the token is for.")] = "command line",
    expires_on: Annotated[str | None, Parameter(help="First day it is no longer good, as 2030-01-31.")] = None,
    instance: Instance = HERE,
) -> None:
    """Create a personal access token and print it, which is the only time it can be read."""
    asyncio.run(_create(instance, username, scopes, name, expires_on))


@tokens.command(name="list")
def show(username: str, *, instance: Instance = HERE) -> None:
    """List a person's personal access tokens."""
    asyncio.run(_show(instance, username))


@tokens.command
def revoke(username: str, id: int, *, instance: Instance = HERE) -> None:
    """Revoke a token: it fails from the next request on."""
    asyncio.run(_revoke(instance, username, id))


async def _create(instance: Instance, username: str, scopes: str, name: str, expires_on: str | None) -> None:
    wanted = [scope.strip() for scope in scopes.split(",") if scope.strip()]
    if not wanted or not set(wanted) <= set(SCOPES):
        raise Trouble(f"--scopes must be of {', '.join(SCOPES)}, separated by commas, not {scopes!r}.")
    if expires_on is not None:
        _check_day(expires_on)
    async with instance.database() as database, database.transaction() as tx:
        user = await find_person(tx, username)
        print(await operations.create_token(tx, user.id, name, wanted, expires_on=expires_on))


async def _show(instance: Instance, username: str) -> None:
    async with instance.database() as database, database.reading() as tx:
        user = await find_person(tx, username)
        lines = await entities.tokens_of(tx, user.id)
    print_table(
        ("id", "name", "scopes", "expires", "revoked", "created"),
        [(line.id, line.name, line.scopes, _day(line.expires_on), line.revoked, line.created_at) for line in lines],
    )


async def _revoke(instance: Instance, username: str, token_id: int) -> None:
    async with instance.database() as database, database.transaction() as tx:
        user = await find_person(tx, username)
        if not await operations.revoke_token(tx, user.id, token_id):
            raise Trouble(f"{user.username} has no token {token_id}: see `mujina token list {user.username}`.")
    print(f"Token {token_id} of {user.username} is revoked.")


def _check_day(text: str) -> None:
    try:
        fits = date.fromisoformat(text).isoformat() == text > clock.today()
    except ValueError:
        fits = False
    if not fits:
        raise Trouble(f"--expires-on must be a day to come, such as 2030-01-31, not {text!r}.")


def _day(expires_on: str) -> str:
    return "never" if expires_on == clock.NEVER else expires_on
