"""Where the product makes, seals or hashes a secret, and where it speaks, it is overheard; it does what it always does."""

import sys
from collections.abc import Callable
from email.message import EmailMessage
from functools import wraps
from typing import Any

from mujina.adapters import mail
from mujina.kernel import logs, secrets
from mujina.kernel.passwords import Passwords
from mujina.kernel.secrets import Vault
from tests.harness.canaries import CANARIES, secret_part

Catch = Callable[[str, str], None]
"""Takes a secret and its kind."""

MAKERS = ("new_token", "new_oauth_token", "new_password", "new_recovery_code")
CREDENTIALS = {"sign-in ticket", "lfs login"}
"""Purposes for which what was sealed is no secret, but the sealed text is shown like one."""


def overhear_secrets(catch: Catch) -> None:
    """Whatever secret this process makes, seals or hashes from now on is given to `catch`."""
    for name in MAKERS:
        setattr(secrets, name, _heard(getattr(secrets, name), catch))
    encrypt, hash = Vault.encrypt, Passwords.hash

    @wraps(encrypt)
    def heard_encrypt(self: Vault, text: str, purpose: str) -> str:
        sealed = encrypt(self, text, purpose)
        catch(sealed if purpose in CREDENTIALS else secret_part(text), purpose)
        return sealed

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
    """The log of this process, read line by line as it is written, and passed on."""

    def write(self, text: str) -> int:
        CANARIES.sweep("log", text.encode("utf-8", "replace"))
        return sys.stdout.write(text)

    def flush(self) -> None:
        sys.stdout.flush()

    def isatty(self) -> bool:
        return False


def overhear_output() -> None:
    """Whatever this process logs or mails from now on is searched; answers are searched by the client that asked."""
    logs.configure("json", "info", to=Lines())
    send = mail.send

    @wraps(send)
    async def heard_send(settings: Any, message: EmailMessage) -> None:
        for part in message.walk():
            CANARIES.sweep("mail", part.get_payload(decode=True) or str(part.items()).encode())
        await send(settings, message)

    mail.send = heard_send
