"""A user who has to choose a password or to set up a second factor does that first, at every entry point."""

import base64
from datetime import timedelta

import pytest

from mujina.kernel import clock
from tests.accounts.sessions.conftest import PASSWORD
from tests.accounts.sessions.test_two_factor import PAGE, code
from tests.harness.client import Raw
from tests.harness.visitor import Visitor

EXPIRED = {"message": "403 Forbidden - Your password expired. Sign in with a browser and change it"}
OWED = {"message": "403 Forbidden - Two-factor authentication is required. Sign in with a browser and set it up"}


def test_a_session_with_an_expired_password_is_refused_by_the_api_until_it_is_changed(signed_in, known):
    known.run("UPDATE users SET password_expires_at = :now WHERE username = 'reporter'", now=clock.now())
    for path in ("/user", f"/projects/{known.public.id}"):
        answer = signed_in.call("GET", path)
        assert (answer.status, answer.json) == (403, EXPIRED)
    signed_in.open("/profile/password/new")
    assert signed_in.call("POST", "/user/emails", email="x@y.org", authenticity_token=signed_in.token).json == EXPIRED
    new = "quite another horse"
    said = {"current_password": PASSWORD, "password": new, "password_confirmation": new}
    changed = signed_in.send("/profile/password/edit", user=said, target=signed_in.field("target"))
    assert (changed.status, changed.headers["Location"]) == (303, "/")
    assert signed_in.call("GET", "/user").status == 200


def test_a_token_does_not_ask_whether_the_password_expired(known):
    known.run("UPDATE users SET password_expires_at = :now", now=clock.now())
    assert known.reporter.get("/user").status == 200


@pytest.fixture
def required(known):
    """`required(hours)`: administrators want everybody to have a second factor."""

    def decide(hours):
        said = {"require_two_factor_authentication": True, "two_factor_grace_period": hours}
        assert known.root.put("/application/settings", **said).status == 200

    return decide


def test_a_required_second_factor_is_set_up_first(required, visitor):
    required(0)
    assert visitor.sign_in("reporter", PASSWORD).status == 303
    first = f"{PAGE}?target=/profile/keys"
    assert visitor.open("/profile/keys").headers["Location"] == first
    assert visitor.call("GET", "/user").json == OWED
    visitor.open(first)
    assert visitor.send("/profile", user={"name": "x"}).headers["Location"] == f"{PAGE}?target=/profile"
    assert visitor.send(PAGE, target="/profile/keys").headers["Location"] == first
    with_token = visitor.open("/dashboard/issues.atom?state=all&feed_token=1-x")
    assert with_token.headers["Location"] == f"{PAGE}?target=/dashboard/issues.atom%3Fstate%3Dall"
    visitor.open(first)
    key = visitor.page.text.split('id="two-factor-key">')[1].split("<")[0]
    enabled = {"code": code(key), "current_password": PASSWORD, "target": "/profile/keys"}
    assert visitor.send(f"{PAGE}/enable", **enabled).status == 200
    assert '<a href="/profile/keys">Continue</a>' in visitor.page.text
    assert visitor.open("/profile").status == 200
    assert visitor.call("GET", "/user").status == 200
    visitor.open(PAGE)
    assert visitor.send(f"{PAGE}/disable", current_password=PASSWORD).status == 303
    assert visitor.call("GET", "/user").json == OWED


def test_people_have_the_time_that_was_given_from_when_they_are_first_seen(required, visitor, known):
    required(2)
    visitor.sign_in("reporter", PASSWORD)
    assert "This instance requires" in visitor.open("/profile").text
    assert visitor.call("GET", "/user").status == 200
    required(200)
    Visitor(visitor.client).sign_in("reporter", PASSWORD)
    due = "UPDATE users SET two_factor_due_at = :now WHERE two_factor_due_at < :then"
    known.run(due, now=clock.now(), then=clock.later(timedelta(hours=3)))
    assert visitor.call("GET", "/user").json == OWED
    known.root.put("/application/settings", require_two_factor_authentication=False)
    assert visitor.call("GET", "/user").status == 200
    assert "This instance requires" not in visitor.open("/profile").text
    required(2)
    assert visitor.call("GET", "/user").status == 200


def test_a_session_learns_of_a_new_requirement_when_it_is_prolonged(required, signed_in, known):
    required(0)
    assert signed_in.call("GET", "/user").status == 200
    known.run("UPDATE sessions SET prolong_at = :now", now=clock.now())
    assert signed_in.open("/profile").status == 200
    assert signed_in.open("/profile").headers["Location"] == f"{PAGE}?target=/profile"


def basic(name, password):
    return {"authorization": "Basic " + base64.b64encode(f"{name}:{password}".encode()).decode()}


def test_a_password_does_not_authenticate_where_a_second_factor_cannot_be_asked_for(required, client, known, visitor):
    path = f"//{known.public.path}.git/info/refs?service=git-upload-pack"
    login = {"grant_type": "password", "username": "reporter", "password": PASSWORD}
    git = Raw(headers=basic("reporter", PASSWORD))
    assert client.get(path, git).status == 200
    required(2)
    assert "personal access token" in client.get(path, git).text
    assert client.post("//oauth/token", **login).json["error"] == "invalid_grant"
    visitor.sign_in("reporter", PASSWORD)  # from now on they have two hours
    assert client.get(path, git).status == 200
    assert client.post("//oauth/token", **login).status == 200
    assert client.get(path, Raw(headers=basic("reporter", known.reporter.token))).status == 200
