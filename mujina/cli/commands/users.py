"""`mujina user`."""

import sys
from typing import Annotated

from cyclopts import App, Parameter

from mujina.accounts.sessions import logins
from mujina.accounts.two_factor import operations as two_factor
from mujina.accounts.users import operations, validation
from mujina.accounts.users.params import CreateUser, EditUser
from mujina.accounts.users.removing import operations as removal
from mujina.accounts.users.rules import find_user
from mujina.accounts.users.sign_in import accounts
from mujina.cli.consequences import composed_database, database_to_change
from mujina.cli.errors import CommandError
from mujina.cli.instance import DEFAULT_INSTANCE, Instance
from mujina.cli.lookup import find_person_or_fail
from mujina.cli.output import print_table
from mujina.kernel import secrets
from mujina.kernel.errors import Problems
from mujina.kernel.passwords import Passwords
from mujina.kernel.permissions.actor import SYSTEM

users = App(name="user")
Stdin = Annotated[bool, Parameter(name="--stdin", negative="", help="Read the password from standard input.")]


@users.command
async def create(
    username: str,
    *,
    email: str,
    name: str | None = None,
    admin: Annotated[bool, Parameter(negative="", help="Create an administrator.")] = False,
    stdin: Stdin = False,
    instance: Instance = DEFAULT_INSTANCE,
) -> None:
    """Create a user. Without --stdin, a password is generated, shown once, and must be changed at the first sign-in."""
    password = _password(stdin=stdin)
    hashed = await _hash(instance, password)
    change = CreateUser(
        username=username, email=email, name=name or username, password=password, admin=admin, skip_confirmation=True
    )
    async with database_to_change(instance) as database, database.transaction() as tx:
        user = await find_user(tx, await operations.create(tx, SYSTEM, change, hashed))
        await accounts.set_password(tx, SYSTEM, user, hashed, expired=not stdin)
    print(f"Created user {user.username} with the ID {user.id}.")
    _print_generated(password, stdin=stdin)


@users.command(name="list")
async def show(*, instance: Instance = DEFAULT_INSTANCE) -> None:
    """List all users."""
    async with composed_database(instance) as database, database.reading() as tx:
        rows = await accounts.list_accounts(tx)
    print_table(
        ("id", "username", "name", "email", "state", "admin"),
        [(row.id, row.username, row.name, row.email, row.state, row.admin) for row in rows],
    )


@users.command
async def block(username: str, *, instance: Instance = DEFAULT_INSTANCE) -> None:
    """Block a user. All of their credentials are rejected from then on."""
    await _set_blocked(instance, username, blocked=True)


@users.command
async def unblock(username: str, *, instance: Instance = DEFAULT_INSTANCE) -> None:
    """Unblock a user."""
    await _set_blocked(instance, username, blocked=False)


@users.command
async def unlock(username: str, *, instance: Instance = DEFAULT_INSTANCE) -> None:
    """Unlock the account of a user whose sign-in failed too often."""
    async with database_to_change(instance) as database, database.transaction() as tx:
        user = await find_person_or_fail(tx, username)
        unlocked = await logins.unlock(tx, SYSTEM, user.id)
    print(f"{user.username} is now unlocked." if unlocked else f"{user.username} was not locked.")


@users.command(name="disable-two-factor")
async def disable_two_factor(username: str, *, instance: Instance = DEFAULT_INSTANCE) -> None:
    """Disable two-factor authentication for a user who lost device and recovery codes."""
    async with database_to_change(instance) as database, database.transaction() as tx:
        user = await find_person_or_fail(tx, username)
        disabled = await two_factor.disable(tx, SYSTEM, user.id)
    state = "now disabled" if disabled else "not enabled"
    print(f"Two-factor authentication of {user.username} is {state}.")


@users.command
async def delete(
    username: str,
    *,
    hard: Annotated[
        bool, Parameter(negative="", help="Also delete what they wrote and the groups that only they own.")
    ] = False,
    instance: Instance = DEFAULT_INSTANCE,
) -> None:
    """Delete a user with their personal projects; what they wrote is kept under the ghost user."""
    async with database_to_change(instance) as database:
        async with database.transaction() as tx:
            user = await find_person_or_fail(tx, username)
            done = await removal.remove(tx, SYSTEM, user, hard=hard)
        if not done:
            await removal.complete(database, user.id, hard=hard)
    print(f"{user.username} is deleted.")


@users.command
async def admin(
    username: str,
    *,
    on: Annotated[bool, Parameter(negative="--off", help="Whether they are an administrator.")],
    instance: Instance = DEFAULT_INSTANCE,
) -> None:
    """Make a user an administrator, or an ordinary user again."""
    async with database_to_change(instance) as database, database.transaction() as tx:
        user = await find_person_or_fail(tx, username)
        await operations.edit(tx, SYSTEM, user, EditUser(admin=on), None)
    print(f"{user.username} is {'an administrator' if on else 'an ordinary user'}.")


@users.command
async def password(username: str, *, stdin: Stdin = False, instance: Instance = DEFAULT_INSTANCE) -> None:
    """Set a user's password. Without --stdin, one is generated, shown once, and must be changed at the first sign-in."""
    password = _password(stdin=stdin)
    problems = Problems()
    validation.check_password(problems, password)
    problems.refuse()
    hashed = await _hash(instance, password)
    async with database_to_change(instance) as database, database.transaction() as tx:
        user = await find_person_or_fail(tx, username)
        await accounts.set_password(tx, SYSTEM, user, hashed, expired=not stdin)
    print(f"Changed the password of {user.username}.")
    _print_generated(password, stdin=stdin)


async def _set_blocked(instance: Instance, username: str, *, blocked: bool) -> None:
    async with database_to_change(instance) as database, database.transaction() as tx:
        user = await find_person_or_fail(tx, username)
        if user.state == accounts.PENDING:
            raise CommandError(f"{user.username} waits for approval: an administrator approves or rejects the account.")
        changed = await (accounts.block if blocked else accounts.unblock)(tx, SYSTEM, user)
    state = "blocked" if blocked else "active"
    print(f"{user.username} is now {state}." if changed else f"{user.username} is already {state}.")


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
