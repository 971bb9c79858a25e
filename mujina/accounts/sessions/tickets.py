"""Tickets between password and code: encrypted proof, for five minutes, that a user's password was correct."""

from datetime import timedelta

import msgspec

from mujina.accounts.sessions.logins import LoginRow, find_login_again
from mujina.kernel import clock, secrets
from mujina.kernel.db.transaction import Tx
from mujina.kernel.secrets import UnreadableSecret, Vault

PURPOSE = "sign-in ticket"
LIFETIME = timedelta(minutes=5)


class Ticket(msgspec.Struct, array_like=True):
    user_id: int
    password: str
    """The digest of the password hash: a new password invalidates the ticket."""
    expires_at: str


def issue(vault: Vault, login: LoginRow) -> str:
    ticket = Ticket(login.id, secrets.digest(login.password_hash or ""), clock.later(LIFETIME))
    return vault.encrypt(msgspec.json.encode(ticket).decode(), PURPOSE)


async def read(tx: Tx, vault: Vault, text: str) -> LoginRow | None:
    """The user of a valid ticket."""
    try:
        ticket = msgspec.json.decode(vault.decrypt(text, PURPOSE), type=Ticket)
    except (UnreadableSecret, msgspec.MsgspecError):
        return None
    login = await find_login_again(tx, ticket.user_id)
    if login is None or ticket.expires_at <= clock.now():
        return None
    return login if secrets.same(secrets.digest(login.password_hash or ""), ticket.password) else None
