"""Between the password and the code: a ticket says whose password was right, sealed, for five minutes."""

from datetime import timedelta

import msgspec

from mujina.accounts.sessions.logins import LoginRow, find_login_again
from mujina.kernel import clock, secrets
from mujina.kernel.db.transaction import Tx
from mujina.kernel.secrets import Unreadable, Vault

PURPOSE = "sign-in ticket"
LASTS = timedelta(minutes=5)


class Ticket(msgspec.Struct, array_like=True):
    user_id: int
    password: str
    """The digest of the password's hash: a new password makes the ticket void."""
    expires_at: str


def write(vault: Vault, login: LoginRow) -> str:
    ticket = Ticket(login.id, secrets.digest(login.password_hash or ""), clock.later(LASTS))
    return vault.encrypt(msgspec.json.encode(ticket).decode(), PURPOSE)


async def read(tx: Tx, vault: Vault, text: str) -> LoginRow | None:
    """Whose ticket it is, while it is good."""
    try:
        ticket = msgspec.json.decode(vault.decrypt(text, PURPOSE), type=Ticket)
    except (Unreadable, msgspec.MsgspecError):
        return None
    login = await find_login_again(tx, ticket.user_id)
    if login is None or ticket.expires_at <= clock.now():
        return None
    return login if secrets.same(secrets.digest(login.password_hash or ""), ticket.password) else None
