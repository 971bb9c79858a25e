"""Changes of accounts that only administrators make."""

from mujina.accounts.sessions.logins import find_login_again
from mujina.accounts.users.rules import UserRow
from mujina.kernel import errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import record
from mujina.kernel.permissions.actor import Actor


async def send_reset_link(tx: Tx, actor: Actor, user: UserRow) -> None:
    """Mail a link for a new password to the user's primary address. A directory keeps the passwords of its users."""
    login = await find_login_again(tx, user.id)
    if login is None:
        raise errors.unprocessable("A blocked user cannot choose a new password.")
    if not login.local:
        raise errors.unprocessable("The directory keeps the password of this user.")
    await record(tx, "user.password_reset_requested", actor, subject_id=user.id)
