"""Whom an operator speaks of."""

from mujina.accounts.users.rules import UserRow, find_user_named
from mujina.cli.trouble import Trouble
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import ApiError


async def find_person(tx: Tx, username: str) -> UserRow:
    """The person of this name, or a sentence that says where the names are."""
    try:
        return await find_user_named(tx, username)
    except ApiError:
        raise Trouble(f"There is nobody called {username}: see `mujina user list`.") from None
