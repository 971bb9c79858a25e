"""A token is good for what its scope covers, wherever it is presented: every entry point × every scope."""

import base64
from urllib.parse import quote

import pytest

from mujina.kernel.http.routing import is_capture
from tests.accounts.oauth.conftest import BACK, App, consent, hashed, known, signed_in, visitor
from tests.accounts.users.test_avatar import picture
from tests.harness.client import File, Raw
from tests.harness.composed import ROUTES

__all__ = ["hashed", "known", "signed_in", "visitor"]

SCOPES = ("api", "read_user", "read_repository", "sudo", "openid")
OID = "0" * 64
LFS = {"Content-Type": "application/vnd.git-lfs+json", "Accept": "application/vnd.git-lfs+json"}
BATCH = '{"operation": "%s", "objects": [{"oid": "' + OID + '", "size": 1}]}'


@pytest.fixture
def tokens(known, client, signed_in):
    """Scope → a token of the reporter that has this scope alone."""
    made = known.root.post("/applications", name="App", redirect_uri=BACK, scopes=" ".join(SCOPES)).json
    app = App(client, made["application_id"], made["secret"])
    return {scope: app.exchange(consent(signed_in, app, scope=scope)).json["access_token"] for scope in SCOPES}


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


def basic(token):
    return {"Authorization": "Basic " + base64.b64encode(f"oauth2:{token}".encode()).decode()}


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)  # which routes a scope opens is written in the routes
def test_every_route_of_the_api_takes_the_scopes_it_declares(known, client, tokens):
    """The scope is checked before the parameters: no request gets further than it must."""
    for route in ROUTES:
        path = "/".join("999999" if is_capture(part) else part for part in route.segments)
        for scope, token in tokens.items():
            if route.verb == "DELETE" and scope in route.scopes:
                continue  # the reporter's own things would go, and with them the rest of the walk
            answer = client.ask(route.verb, f"/{path}", Raw(headers=bearer(token)))
            refused = answer.status == 403 and b"insufficient_scope" in answer.body
            assert refused == (scope not in route.scopes), (route.verb, path, scope, answer)


@pytest.fixture
def entry_points(known):
    """Name → a request, how it carries the token, and the scopes with which it is answered."""
    upload = known.guest.post(f"/projects/{known.private.id}/uploads", file=File("a.txt", b"hello")).json["full_path"]
    project = known.owner.put(f"/projects/{known.private.id}", avatar=File("a.png", picture())).json
    user = known.root.put(f"/users/{known.guest.id}", avatar=File("a.png", picture())).json
    git = f"/{known.private.path}.git"
    avatar, face = (each["avatar_url"].removeprefix("http://mujina.test") for each in (project, user))
    return {
        "upload": ("GET", upload, bearer, b"", {"api"}),
        "project avatar": ("GET", avatar, bearer, b"", {"api"}),
        "user avatar, which is public": ("GET", face, bearer, b"", {*SCOPES}),
        "fetch": ("GET", f"{git}/info/refs?service=git-upload-pack", basic, b"", {"api", "read_repository"}),
        "LFS download": ("POST", f"{git}/info/lfs/objects/batch", basic, b"download", {"api", "read_repository"}),
        "LFS locks": ("GET", f"{git}/info/lfs/locks", basic, b"", {"api", "read_repository"}),
        "OpenID": ("GET", "/oauth/userinfo", bearer, b"", {"openid"}),
        "token info": ("GET", "/oauth/token/info", bearer, b"", {*SCOPES}),
        "feed of a project": ("GET", f"/api/v4/projects/{known.public.id}/events", bearer, b"", {"api"}),
        "feed of a user": ("GET", f"/api/v4/users/{known.guest.id}/events", bearer, b"", {"api", "read_user"}),
    }


def test_every_other_entry_point_takes_the_scopes_it_needs(client, tokens, entry_points):
    for name, (verb, path, carried, body, accepted) in entry_points.items():
        for scope, token in tokens.items():
            raw = Raw(headers={**LFS, **carried(token)}, body=(BATCH % body.decode()).encode() if body else b"")
            answer = client.ask(verb, f"/{path}", raw)
            assert (answer.status == 200) == (scope in accepted), (name, scope, answer)


def test_a_token_in_the_query_or_in_the_private_header_is_limited_as_well(known, client, tokens, entry_points):
    path = entry_points["upload"][1]
    personal = known.root.post(
        f"/users/{known.reporter.id}/impersonation_tokens", name="x", scopes=["read_user"]
    ).json["token"]  # fmt: skip
    for request in (
        Raw(query=f"access_token={tokens['read_user']}"),
        Raw(query=f"private_token={quote(personal)}"),
        Raw(headers={"Private-Token": personal}),
    ):
        assert client.get(f"/{path}", request).status == 403


def test_pushing_needs_the_api_scope(known, client, tokens):
    """The developer's tokens would be told apart by their scope; the reporter's only lead to different refusals."""
    path = f"//{known.private.path}.git/info/refs?service=git-receive-pack"
    texts = {scope: client.get(path, Raw(headers=basic(token))) for scope, token in tokens.items()}
    assert {scope: answer.status for scope, answer in texts.items()} == {
        "api": 403, "read_repository": 403, "read_user": 401, "sudo": 401, "openid": 401,
    }  # fmt: skip
    assert texts["read_repository"].text == "You are not allowed to upload code for this project."


def test_pages_take_no_token(client, tokens):
    for token in tokens.values():
        assert client.get("//profile", Raw(headers=bearer(token))).status == 302
