"""`mujina user`."""

import asyncio
import sys
from typing import Annotated

from cyclopts import App, Parameter

from mujina.accounts.users import accounts, operations, validation
from mujina.accounts.users.params import CreateUser
from mujina.accounts.users.rules import find_user
from mujina.cli.errors import CommandError
from mujina.cli.instance import Instance
from mujina.cli.lookup import find_user_or_fail
from mujina.cli.output import print_table
from mujina.kernel import secrets
from mujina.kernel.actor import SYSTEM
from mujina.kernel.errors import Problems
from mujina.kernel.passwords import Passwords

users = App(name="user")
DEFAULT_INSTANCE = Instance()
Stdin = Annotated[bool, Parameter(name="--stdin", negative="", help="Read the password from standard input.")]


@users.command
def create(
    username: str,
    *,
    email: str,
    name: str | None = None,
    admin: Annotated[bool, Parameter(negative="", help="Create an administrator.")] = False,
    stdin: Stdin = False,
    instance: Instance = DEFAULT_INSTANCE,
) -> None:
    """Create a user. Without --stdin, a password is generated, shown once, and must be changed at the first sign-in."""
    asyncio.run(_create(instance, username, email, name or username, admin=admin, stdin=stdin))


@users.command(name="list")
def show(*, instance: Instance = DEFAULT_INSTANCE) -> None:
    """List all users."""
    asyncio.run(_show(instance))


@users.command
def block(username: str, *, instance: Instance = DEFAULT_INSTANCE) -> None:
    """Block a user. All of their credentials are rejected from then on."""
    asyncio.run(_set_blocked(instance, username, blocked=True))


@users.command
def unblock(username: str, *, instance: Instance = DEFAULT_INSTANCE) -> None:
    """Unblock a user."""
    asyncio.run(_set_blocked(instance, username, blocked=False))


@users.command
def password(username: str, *, stdin: Stdin = False, instance: Instance = DEFAULT_INSTANCE) -> None:
    """Set a user's password. Without --stdin, one is generated, shown once, and must be changed at the first sign-in."""
    asyncio.run(_set_password(instance, username, stdin=stdin))


async def _create(instance: Instance, username: str, email: str, name: str, *, admin: bool, stdin: bool) -> None:
    password = _password(stdin=stdin)
    hashed = await _hash(instance, password)
    change = CreateUser(
        username=username, email=email, name=name, password=password, admin=admin, skip_confirmation=True
    )
    async with instance.database() as database, database.transaction() as tx:
        user = await find_user(tx, await operations.create(tx, SYSTEM, change, hashed))
        await accounts.set_password(tx, SYSTEM, user, hashed, expired=not stdin)
    print(f"Created user {user.username} with the ID {user.id}.")
    _print_generated(password, stdin=stdin)


async def _show(instance: Instance) -> None:
    async with instance.database() as database, database.reading() as tx:
        rows = await accounts.list_accounts(tx)
    print_table(
        ("id", "username", "name", "email", "state", "admin"),
        [(row.id, row.username, row.name, row.email, row.state, row.admin) for row in rows],
    )


async def _set_blocked(instance: Instance, username: str, *, blocked: bool) -> None:
    async with instance.database() as database, database.transaction() as tx:
        user = await find_user_or_fail(tx, username)
        changed = await (accounts.block if blocked else accounts.unblock)(tx, SYSTEM, user)
    state = "blocked" if blocked else "active"
    print(f"{user.username} is now {state}." if changed else f"{user.username} is already {state}.")


async def _set_password(instance: Instance, username: str, *, stdin: bool) -> None:
    password = _password(stdin=stdin)
    problems = Problems()
    validation.check_password(problems, password)
    problems.refuse()
    hashed = await _hash(instance, password)
    async with instance.database() as database, database.transaction() as tx:
        user = await find_user_or_fail(tx, username)
        await accounts.set_password(tx, SYSTEM, user, hashed, expired=not stdin)
    print(f"Changed the password of {user.username}.")
    _print_generated(password, stdin=stdin)


async def _hash(instance: Instance, password: str) -> str:
    return await Passwords(kilobytes=instance.settings().password_kilobytes).hash(password)


def _password(*, stdin: bool) -> str:
    """Never an argument: every user of the machine can see those."""
    if not stdin:
        return secrets.new_password()
    if password := sys.stdin.readline().rstrip("\r\n"):
        return password
    raise CommandError("There is no password on standard input.")


def _print_generated(password: str, *, stdin: bool) -> None:
    if not stdin:
        print(f"The password is {password} (it will not be shown again).")
