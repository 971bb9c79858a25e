"""Parameters of requests by OAuth clients and their owners."""

from mujina.kernel.http.params import Params, Texts


class CreateApplication(Params):
    name: str
    redirect_uri: str
    scopes: str = "api"


class NewApplication(Params):
    """The form of the page."""

    name: str = ""
    redirect_uri: str = ""
    scopes: Texts = []  # noqa: RUF012 - msgspec copies it
    confidential: bool = False


class Authorize(Params):
    """The authorization request of a client, which a browser sends."""

    client_id: str = ""
    redirect_uri: str = ""
    response_type: str = ""
    scope: str = ""
    state: str = ""
    code_challenge: str = ""
    code_challenge_method: str = ""
    nonce: str = ""


class TokenRequest(Params):
    grant_type: str = ""
    code: str = ""
    redirect_uri: str = ""
    code_verifier: str = ""
    refresh_token: str = ""
    username: str = ""
    password: str = ""
    scope: str = ""


class ShownToken(Params):
    token: str = ""


class ClientLogin(Params):
    client_id: str = ""
    client_secret: str = ""
