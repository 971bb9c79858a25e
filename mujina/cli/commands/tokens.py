"""`mujina token`."""

from datetime import date
from typing import Annotated

from cyclopts import App, Parameter

from mujina.accounts.credentials import entities, operations
from mujina.cli.consequences import composed_database, database_to_change
from mujina.cli.errors import CommandError
from mujina.cli.instance import DEFAULT_INSTANCE, Instance
from mujina.cli.lookup import find_person_or_fail, find_user_or_fail
from mujina.cli.output import print_table
from mujina.kernel import clock
from mujina.kernel.permissions.actor import SCOPES, SYSTEM

tokens = App(name="token")


@tokens.command
async def create(
    username: str,
    *,
    scopes: Annotated[str, Parameter(help=f"Any of {', '.join(SCOPES)}, separated by commas.")] = "api",
    name: Annotated[str, Parameter(help="Token name.")] = "command line",
    expires_on: Annotated[
        str | None, Parameter(help="Expiration date, such as 2030-01-31: the first day on which the token is rejected.")
    ] = None,
    instance: Instance = DEFAULT_INSTANCE,
) -> None:
    """Create a personal access token and print it. It cannot be shown again."""
    chosen = [scope.strip() for scope in scopes.split(",") if scope.strip()]
    if not chosen or not set(chosen) <= set(SCOPES):
        raise CommandError(f"--scopes must be any of {', '.join(SCOPES)}, separated by commas, not {scopes!r}.")
    if expires_on is not None:
        _check_expiration(expires_on)
    async with database_to_change(instance) as database, database.transaction() as tx:
        user = await find_person_or_fail(tx, username)
        if "sudo" in chosen and not user.admin:
            raise CommandError(f"{user.username} is not an administrator: only administrators get the scope sudo.")
        print(await operations.create_token(tx, SYSTEM, user.id, name, chosen, expires_on=expires_on))


@tokens.command(name="list")
async def show(username: str, *, instance: Instance = DEFAULT_INSTANCE) -> None:
    """List a user's personal access tokens."""
    async with composed_database(instance) as database, database.reading() as tx:
        user = await find_user_or_fail(tx, username)
        rows = await entities.tokens_of(tx, user.id)
    print_table(
        ("id", "name", "scopes", "expires", "revoked", "created"),
        [(row.id, row.name, row.scopes, _expiration(row.expires_on), row.revoked, row.created_at) for row in rows],
    )


@tokens.command
async def revoke(username: str, id: int, *, instance: Instance = DEFAULT_INSTANCE) -> None:
    """Revoke a token; the next request that uses it is rejected."""
    async with database_to_change(instance) as database, database.transaction() as tx:
        user = await find_user_or_fail(tx, username)
        if not await operations.revoke_token(tx, SYSTEM, user.id, id):
            raise CommandError(f"{user.username} has no token {id}: see `mujina token list {user.username}`.")
    print(f"Token {id} of {user.username} is revoked.")


def _check_expiration(text: str) -> None:
    try:
        is_valid = date.fromisoformat(text).isoformat() == text and not operations.is_expired(text)
    except ValueError:
        is_valid = False
    if not is_valid:
        raise CommandError(f"--expires-on must be a future date such as 2030-01-31, not {text!r}.")


def _expiration(expires_on: str) -> str:
    return "never" if expires_on == clock.NEVER else expires_on
