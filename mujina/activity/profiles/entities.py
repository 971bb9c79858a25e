"""Users as their own page shows them, to those who may see it."""

from mujina.accounts.users import entities
from mujina.accounts.users.entities import User
from mujina.accounts.users.rules import find_user_named
from mujina.instance.application_settings.rules import read_settings
from mujina.kernel import errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.permissions.actor import Actor


async def find_profile(tx: Tx, actor: Actor, username: str) -> User:
    """The user as the API shows them. Anonymous visitors find no blocked users, and none where nothing may be public."""
    if actor.anonymous and (await read_settings(tx)).forbids("public"):
        raise errors.not_found("User")
    user = await find_user_named(tx, username)
    if actor.anonymous and user.state != "active":
        raise errors.not_found("User")
    return await entities.single(tx, actor, user.id)
