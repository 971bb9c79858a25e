"""An ended credential is refused on the very next request, by pages, API and git."""

import base64

import pytest

from tests.accounts.oauth.conftest import BACK, App, consent
from tests.accounts.sessions.conftest import PASSWORD
from tests.harness.client import Raw

GOOD = {
    "session at the API",
    "session at a page",
    "OAuth at the API",
    "OAuth at git",
    "password at git",
    "password at the form",
}
ENDS = {
    "block": GOOD,
    "delete": GOOD,
    "new password": {"session at the API", "session at a page", "password at git", "password at the form"},
    "sign out": {"session at the API", "session at a page"},
    "consent withdrawn": {"OAuth at the API", "OAuth at git"},
    "application gone": {"OAuth at the API", "OAuth at git"},
}


@pytest.fixture
def holder(signed_in, known, client):
    """The reporter's browser with a session, and a client's token from their consent."""
    signed_in.open("/profile/applications")
    said = {"name": "App", "redirect_uri": BACK, "scopes": ["api"], "confidential": "true"}
    signed_in.send("/profile/applications", application=said)
    app = App(client, signed_in.field("application_id"), signed_in.field("secret"))
    return signed_in, app.exchange(consent(signed_in, app)).json["access_token"]


def good(holder, known, client):
    """The doors that open."""
    visitor, token = holder
    path = f"//{known.private.path}.git/info/refs?service=git-upload-pack"

    def git(name, password):
        coded = base64.b64encode(f"{name}:{password}".encode()).decode()
        return client.get(path, Raw(headers={"Authorization": f"Basic {coded}"})).status == 200

    answers = {
        "session at the API": visitor.call("GET", "/user").status == 200,
        "session at a page": visitor.open("/profile").status == 200,
        "OAuth at the API": client.get("/user", access_token=token).status == 200,
        "OAuth at git": git("oauth2", token),
        "password at git": git("reporter", PASSWORD),
        "password at the form": type(visitor)(client).sign_in("reporter", PASSWORD).status == 303,
    }
    return {door for door, opens in answers.items() if opens}


@pytest.mark.parametrize("deed", ENDS)
def test_an_ended_credential_is_rejected_at_every_entry_point(holder, known, client, deed):
    assert good(holder, known, client) == GOOD
    visitor, _ = holder
    visitor.open("/profile/applications")
    user = f"/users/{known.reporter.id}"
    if deed == "block":
        known.root.post(f"{user}/block")
    elif deed == "delete":
        known.root.delete(user)
    elif deed == "new password":
        known.root.put(user, password="another password")
    elif deed == "sign out":
        cookie = visitor.cookie
        visitor.send("/users/sign_out")
        visitor.cookie = cookie
    else:
        word = "withdraw" if deed == "consent withdrawn" else "remove"
        visitor.open(visitor.links(f"/profile/applications/{word}?")[0])
        visitor.send(f"/profile/applications/{word}", id=visitor.field("id"))
    assert good(holder, known, client) == GOOD - ENDS[deed]
