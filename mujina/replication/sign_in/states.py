"""The state of a sign-in that continues at the primary: encrypted, for one browser, for an hour. Nothing is stored."""

from datetime import timedelta
from typing import Final

import msgspec

from mujina.kernel import clock, secrets
from mujina.kernel.secrets import UnreadableSecret, Vault

PURPOSE: Final = "sign-in at the primary"
LIFETIME: Final = timedelta(hours=1)


class SignInState(msgspec.Struct, array_like=True, frozen=True):
    node_id: int
    """The secondary where it began."""
    browser: str
    """The digest of the cookie: another browser cannot end what this one began."""
    verifier: str
    """The secret whose digest the primary was given (PKCE)."""
    target: str
    """The page to show at the end, on this site."""
    expires_at: str


def begin(vault: Vault, node_id: int, cookie: str, target: str) -> tuple[str, str]:
    """The state of a new sign-in, and its verifier."""
    verifier = secrets.new_oauth_token()
    state = SignInState(node_id, secrets.digest(cookie), verifier, target, clock.later(LIFETIME))
    return vault.encrypt(msgspec.json.encode(state).decode(), PURPOSE), verifier


def read(vault: Vault, cookie: str, text: str) -> SignInState | None:
    """The state, if this browser began it and it has not expired."""
    try:
        state = msgspec.json.decode(vault.decrypt(text, PURPOSE), type=SignInState)
    except (UnreadableSecret, msgspec.MsgspecError):
        return None
    same_browser = secrets.same(state.browser, secrets.digest(cookie))
    return state if same_browser and state.expires_at > clock.now() else None
