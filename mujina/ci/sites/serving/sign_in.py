"""Visitors of sites that are not public sign in at the instance by OAuth, and get a cookie of that one host.

    site host ──state──> /oauth/authorize ──code, state──> host of `pages_url` ──ticket──> site host, which sets the cookie

The code never reaches a host on which users publish scripts. State and ticket are encrypted, and only the browser that has the
cookie of the first step can use them. Nothing is stored.
"""

import base64
import hashlib
from datetime import timedelta
from typing import Final, TypeVar
from urllib.parse import parse_qs, urlencode, urlsplit

import msgspec

from mujina.accounts.oauth import grants
from mujina.accounts.oauth.operations import ensure_client
from mujina.accounts.oauth.params import TokenRequest
from mujina.accounts.oauth.rules import ApplicationRow, find_client
from mujina.accounts.users.rules import find_active_actor
from mujina.kernel import clock, secrets
from mujina.kernel.permissions.actor import ANONYMOUS, Actor
from mujina.kernel.secrets import UnreadableSecret, Vault
from mujina.kernel.services import Services

PATH: Final = "/-/sign_in"
"""No namespace can have this name."""
BROWSER_COOKIE, SESSION_COOKIE = "_site_browser", "_site_session"
STATE_LIFETIME: Final = timedelta(hours=1)
TICKET_LIFETIME: Final = timedelta(minutes=1)
SESSION_LIFETIME: Final = timedelta(hours=1)
"""A user who signs out of the instance is signed out of sites by then."""
MAX_PATH: Final = 2_000
_SCOPE: Final = "read_user"


class SiteSignInState(msgspec.Struct, array_like=True, frozen=True):
    """A sign-in that a site has begun."""

    origin: str
    browser: str
    """The digest of the cookie."""
    verifier: str
    """The secret whose digest the code is bound to (PKCE)."""
    target: str
    """The path to show at the end."""
    expires_at: str


class SiteTicket(msgspec.Struct, array_like=True, frozen=True):
    """A user who signed in, for one host and one browser; also the content of the cookie."""

    user_id: int
    origin: str
    browser: str
    target: str
    expires_at: str


Encrypted = TypeVar("Encrypted", SiteSignInState, SiteTicket)


class SiteSignIn:
    """The steps of a sign-in, each of which leads to the next by a redirect."""

    def __init__(self, services: Services, pages_url: str) -> None:
        self._services = services
        self._redirect_uri = f"{pages_url}{PATH}"

    async def begin(self, origin: str, cookie: str, target: str) -> str:
        """Where the browser with this cookie signs in."""
        verifier = secrets.new_oauth_token()
        target = target if len(target) <= MAX_PATH else "/"
        state = SiteSignInState(origin, secrets.digest(cookie), verifier, target, clock.later(STATE_LIFETIME))
        client = await self._client()
        query = {
            "client_id": client.uid, "redirect_uri": self._redirect_uri, "response_type": "code", "scope": _SCOPE,
            "state": _encrypt(self._services.vault, state), "code_challenge": _challenge(verifier),
            "code_challenge_method": "S256",
        }  # fmt: skip
        return f"{self._services.settings.url}/oauth/authorize?{urlencode(query)}"

    async def end(self, query: str) -> str | None:
        """Where the site continues that has begun this; None if the code is not valid for its state."""
        given = parse_qs(query)
        state = _open(self._services.vault, given.get("state", [""])[0], SiteSignInState)
        if state is None or "code" not in given:
            return None
        request = TokenRequest(code=given["code"][0], redirect_uri=self._redirect_uri, code_verifier=state.verifier)
        client = await self._client()
        async with self._services.database.transaction() as tx:
            grant = await grants.redeem(tx, client, request)
        if grant is None:
            return None
        ticket = SiteTicket(grant.user_id, state.origin, state.browser, state.target, clock.later(TICKET_LIFETIME))
        return f"{state.origin}{PATH}?{urlencode({'ticket': _encrypt(self._services.vault, ticket)})}"

    def admit(self, origin: str, cookie: str, query: str) -> tuple[str, str] | None:
        """The session cookie for the user of the ticket, and the path to show; None if it is for another host or browser."""
        ticket = self._read(origin, cookie, parse_qs(query).get("ticket", [""])[0])
        if ticket is None:
            return None
        session = msgspec.structs.replace(ticket, target="", expires_at=clock.later(SESSION_LIFETIME))
        return _encrypt(self._services.vault, session), ticket.target

    async def visitor(self, origin: str, cookie: str, session: str) -> Actor:
        """The user whose session this is, as far as they may sign in still."""
        ticket = self._read(origin, cookie, session)
        if ticket is None:
            return ANONYMOUS
        async with self._services.database.reading() as tx:
            return await find_active_actor(tx, ticket.user_id) or ANONYMOUS

    def _read(self, origin: str, cookie: str, text: str) -> SiteTicket | None:
        ticket = _open(self._services.vault, text, SiteTicket)
        if ticket is None or ticket.origin != origin or not secrets.same(ticket.browser, secrets.digest(cookie)):
            return None
        return ticket

    async def _client(self) -> ApplicationRow:
        """The application of this instance for sites; its id is the same in every process. The first visitor registers it."""
        uid = secrets.digest(self._services.vault.sign(self._redirect_uri, "sites application"))
        async with self._services.database.reading() as tx:
            client = await find_client(tx, uid)
        if client is None:
            async with self._services.database.transaction() as tx:
                client = await ensure_client(tx, uid, "Sites", self._redirect_uri, _SCOPE)
        return client


def site_origin(pages_url: str, scheme: str, host: str) -> str:
    """The origin of a site as its visitors see it: behind a proxy that ends TLS, the scheme is that of `pages_url`."""
    return f"{'https' if scheme == 'https' else urlsplit(pages_url).scheme}://{host}"


def _challenge(verifier: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")


def _encrypt(vault: Vault, value: SiteSignInState | SiteTicket) -> str:
    return vault.encrypt(msgspec.json.encode(value).decode(), type(value).__name__)


def _open(vault: Vault, text: str, shape: type[Encrypted]) -> Encrypted | None:
    """The value that was encrypted as this, until it expires."""
    try:
        value = msgspec.json.decode(vault.decrypt(text, shape.__name__), type=shape)
    except (UnreadableSecret, msgspec.MsgspecError):
        return None
    return value if value.expires_at > clock.now() else None
