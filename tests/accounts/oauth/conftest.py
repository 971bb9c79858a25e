import base64
import hashlib
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.accounts.sessions.conftest import PASSWORD, hashed, known, signed_in, visitor
from tests.harness.client import Answer, Client, Raw
from tests.harness.encoding import form_text
from tests.harness.visitor import Visitor

__all__ = ["PASSWORD", "hashed", "known", "signed_in", "visitor"]

BACK = "https://app.example/back?keep=1"
VERIFIER = "a-verifier-that-is-long-enough-to-be-one-of-43-characters"
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).decode().rstrip("=")
PKCE = {"code_challenge": CHALLENGE, "code_challenge_method": "S256"}


@dataclass
class App:
    """A registered client, as the program that knows its secret."""

    client: Client
    uid: str
    secret: str

    def ask(self, **said: Any) -> dict[str, Any]:
        """What an authorization request says."""
        asked = {"client_id": self.uid, "redirect_uri": BACK, "response_type": "code", "state": "s 1", **said}
        return {name: value for name, value in asked.items() if value is not None}

    def post(self, path: str, headers: dict[str, str] | None = None, **said: Any) -> Answer:
        return post(self.client, path, headers, client_id=self.uid, client_secret=self.secret, **said)

    def exchange(self, code: str, **said: Any) -> Answer:
        said = {"grant_type": "authorization_code", "code": code, "redirect_uri": BACK, **said}
        return self.post("/oauth/token", **said)

    def refresh(self, token: str, **said: Any) -> Answer:
        return self.post("/oauth/token", grant_type="refresh_token", refresh_token=token, **said)


def post(client: Client, path: str, headers: dict[str, str] | None = None, **said: Any) -> Answer:
    raw = Raw(body=form_text(said).encode(), type="application/x-www-form-urlencoded", headers=headers or {})
    return client.ask("POST", f"/{path}", raw)


@pytest.fixture
def app(known, client):
    made = known.root.post("/applications", name="App", redirect_uri=BACK, scopes="api read_user").json
    return App(client, made["application_id"], made["secret"])


def query(answer: Answer) -> dict[str, str]:
    """What a redirect tells the client."""
    return {name: values[0] for name, values in parse_qs(urlsplit(answer.headers["Location"]).query).items()}


def consent(visitor: Visitor, app: App, **said: Any) -> str:
    """The code that the person's consent gives the client."""
    asked = app.ask(**said)
    assert visitor.open("/oauth/authorize", **asked).status == 200
    return query(visitor.send("/oauth/authorize", **asked))["code"]


@pytest.fixture
def tokens(signed_in, app):
    """A pair the reporter's consent gave the client."""
    return app.exchange(consent(signed_in, app)).json


def bearer(client: Client, token: str, path: str = "/user") -> Answer:
    return client.get(path, Raw(headers={"Authorization": f"Bearer {token}"}))
