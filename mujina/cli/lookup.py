"""Objects that the operator names on the command line."""

from collections.abc import Mapping

from mujina.accounts.users.rules import UserRow, find_person, find_user_named
from mujina.cli.errors import CommandError
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import ApiError

NO_PERSON: Mapping[str, str] = {
    "ghost": "the ghost user, the author of what deleted users wrote",
    "bot": "the user of an access token",
    "imported": "an imported name",
}
"""What the users are that are no persons."""


async def find_user_or_fail(tx: Tx, username: str) -> UserRow:
    """Return the user, or raise a `CommandError` that says where to find usernames."""
    try:
        return await find_user_named(tx, username)
    except ApiError:
        raise CommandError(f"There is no user named {username}: see `mujina user list`.") from None


async def find_person_or_fail(tx: Tx, username: str) -> UserRow:
    """Like `find_user_or_fail`, for a change: no ghost user, bot or imported name, which the API does not change either."""
    user = await find_user_or_fail(tx, username)
    try:
        return await find_person(tx, user.id)
    except ApiError:
        raise CommandError(f"{user.username} is {NO_PERSON[user.kind]}: name a user who is a person.") from None
