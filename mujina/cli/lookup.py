"""Objects that the operator names on the command line."""

from mujina.accounts.users.rules import UserRow, find_user_named
from mujina.cli.errors import CommandError
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import ApiError


async def find_user_or_fail(tx: Tx, username: str) -> UserRow:
    """Return the user, or raise a `CommandError` that says where to find usernames."""
    try:
        return await find_user_named(tx, username)
    except ApiError:
        raise CommandError(f"There is no user named {username}: see `mujina user list`.") from None
