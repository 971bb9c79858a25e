"""Wrappers around the functions that create, encrypt or hash a secret and around those that log or send mail."""

import logging
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from email.message import EmailMessage
from functools import wraps
from typing import Any

from mujina.adapters import mail
from mujina.kernel import secrets
from mujina.kernel.monitoring import logs
from mujina.kernel.passwords import Passwords
from mujina.kernel.secrets import Vault
from tests.harness.canaries import CANARIES, secret_part

Catch = Callable[[str, str], None]
"""Takes a secret and its kind."""

MAKERS = ("new_token", "new_oauth_token", "new_password", "new_recovery_code")
CREDENTIALS = {"sign-in ticket", "lfs login"}
"""Purposes for which the encrypted text is the secret, not the text inside."""


def overhear_secrets(catch: Catch) -> None:
    """Give every secret that this process creates, encrypts or hashes from now on to `catch`."""
    for name in MAKERS:
        setattr(secrets, name, _heard(getattr(secrets, name), catch))
    encrypt, hash = Vault.encrypt, Passwords.hash

    @wraps(encrypt)
    def heard_encrypt(self: Vault, text: str, purpose: str) -> str:
        encrypted = encrypt(self, text, purpose)
        catch(encrypted if purpose in CREDENTIALS else secret_part(text), purpose)
        return encrypted

    @wraps(hash)
    async def heard_hash(self: Passwords, password: str) -> str:
        catch(password, "a password")
        return await hash(self, password)

    Vault.encrypt, Passwords.hash = heard_encrypt, heard_hash


def _heard(make: Callable[[], str], catch: Catch) -> Callable[[], str]:
    @wraps(make)
    def heard() -> str:
        secret = make()
        caller: str = sys._getframe(1).f_globals["__name__"]
        catch(secret, ".".join(caller.split(".")[-2:]))
        return secret

    return heard


class Lines:
    """A stream that searches each line of the log and writes it to standard output."""

    def write(self, text: str) -> int:
        CANARIES.sweep("log", text.encode("utf-8", "replace"))
        return sys.stdout.write(text)

    def flush(self) -> None:
        sys.stdout.flush()

    def isatty(self) -> bool:
        return False


def overhear_output() -> None:
    """Search everything that this process logs or mails from now on; the client searches the responses."""
    logs.configure("json", "info", to=Lines())
    send, send_over = mail.send, mail.Connection.send

    @wraps(send)
    async def heard_send(settings: Any, message: EmailMessage) -> None:
        _sweep_mail(message)
        await send(settings, message)

    @wraps(send_over)
    async def heard_send_over(self: mail.Connection, message: EmailMessage, recipient: str | None = None) -> None:
        _sweep_mail(message)
        await send_over(self, message, recipient)

    mail.send, mail.Connection.send = heard_send, heard_send_over


@contextmanager
def log_restored() -> Generator[None]:
    """The log that the code inside configures ends with it: further lines of this process are searched as before."""
    root = logging.getLogger()
    state, handlers, level = dict(vars(logs.log)), list(root.handlers), root.level
    try:
        yield
    finally:
        vars(logs.log).update(state)
        root.handlers[:] = handlers
        root.setLevel(level)


def _sweep_mail(message: EmailMessage) -> None:
    for part in message.walk():
        CANARIES.sweep("mail", part.get_payload(decode=True) or str(part.items()).encode())
