"""Signing in to a secondary: by OAuth at the primary, which also writes the session."""

import base64
import hashlib
from typing import Final
from urllib.parse import urlencode

from mujina.accounts.oauth import grants
from mujina.accounts.oauth.params import TokenRequest
from mujina.accounts.sessions import operations as sessions
from mujina.accounts.sessions.logins import find_login_again
from mujina.kernel import errors
from mujina.kernel.html.pages import Cookie, PageRequest, Redirect, view
from mujina.replication.nodes.addresses import redirect_uri
from mujina.replication.nodes.rules import find_client_of, find_primary
from mujina.replication.sign_in import states
from mujina.replication.sign_in.params import SignInAnswer
from mujina.replication.sign_in.states import SignInState

NO_APPLICATION: Final = "No one can sign in to this node until an administrator enables or repairs it at the primary."
NOT_SIGNED_IN: Final = (
    "You were not signed in: this sign-in has expired, or was begun in another browser. Please sign in again."
)


@view("/oauth/geo/auth", anonymous=True)
async def begin_sign_in(request: PageRequest) -> Redirect:
    """Sends the browser of a secondary to the primary, which sends it back with a code."""
    target = request.target("/")
    if request.session is not None:
        return Redirect(target)
    node_id = request.services.node_id
    if node_id is None:
        raise errors.unknown_route()
    async with request.reading() as tx:
        primary, found = await find_primary(tx), await find_client_of(tx, node_id)
    if primary is None or found is None:
        raise errors.unprocessable(NO_APPLICATION)
    node, client = found
    state, verifier = states.begin(request.services.vault, node_id, request.cookie, target)
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
    query = {
        "client_id": client.uid, "redirect_uri": redirect_uri(node.url), "response_type": "code",
        "scope": client.scopes, "state": state, "code_challenge": challenge, "code_challenge_method": "S256",
    }  # fmt: skip
    return Redirect(f"{primary.url}oauth/authorize?{urlencode(query)}")


@view("/oauth/geo/callback", anonymous=True)
async def end_sign_in(request: PageRequest) -> Redirect:
    """Start the session of the user who authorized this. A secondary forwards it, because it has to write."""
    answer = request.read_form(SignInAnswer)
    state = states.read(request.services.vault, request.cookie, answer.state)
    if state is None or not answer.code:
        raise errors.unprocessable(NOT_SIGNED_IN)
    cookie = await _start_session(request, state, answer.code)
    if cookie is None:
        raise errors.unprocessable(NOT_SIGNED_IN)
    request.new_cookie = cookie
    return Redirect(state.target)


async def _start_session(request: PageRequest, state: SignInState, code: str) -> Cookie | None:
    """The cookie of a session of the user whom the code stands for; None if the code is not valid for this state."""
    async with request.transaction() as tx:
        found = await find_client_of(tx, state.node_id)
        if found is None:
            return None
        node, client = found
        exchange = TokenRequest(code=code, redirect_uri=redirect_uri(node.url), code_verifier=state.verifier)
        grant = await grants.redeem(tx, client, exchange)
        login = None if grant is None else await find_login_again(tx, grant.user_id)
        if login is None:
            return None
        return await sessions.start(tx, login, request.origin, former_cookie=request.cookie)
