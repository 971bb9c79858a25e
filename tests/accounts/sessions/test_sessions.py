"""The session cookie before the API, and what ends it."""

import pytest

from mujina.kernel import clock
from tests.accounts.sessions.conftest import PASSWORD
from tests.harness.statements import statements
from tests.harness.visitor import Visitor


def test_the_cookie_reads_the_api(signed_in, database):
    with statements(database) as used:
        assert signed_in.call("GET", "/user").json["username"] == "reporter"
    assert used.count <= 4


def test_the_cookie_writes_only_with_the_token_of_its_forms(signed_in, known, client):
    path = f"/projects/{known.private.id}/issues"
    signed_in.open("/profile/personal_access_tokens")
    assert signed_in.call("POST", path, title="x").status == 401
    assert signed_in.call("POST", path, {"X-CSRF-Token": "0" * 64}, title="x").status == 401
    assert signed_in.call("POST", path, {"X-CSRF-Token": signed_in.token}, title="x").status == 201
    assert signed_in.call("POST", path, title="x", authenticity_token=signed_in.token).status == 201
    other = Visitor(client)
    other.sign_in("root", PASSWORD)
    other.open("/profile/personal_access_tokens")
    assert signed_in.call("POST", path, {"X-CSRF-Token": other.token}, title="x").status == 401


def test_a_session_is_no_way_to_act_as_another(visitor, client):
    visitor.sign_in("reporter", PASSWORD)
    assert visitor.call("GET", "/user", sudo="owner").json["message"] == "403 Forbidden - Must be admin to use sudo"
    visitor = Visitor(client)
    visitor.sign_in("root", PASSWORD)
    assert visitor.call("GET", "/user", sudo="owner").json["message"] == (
        "403 Forbidden - Must be authenticated using an OAuth or Personal Access Token to use sudo"
    )


def test_an_unknown_cookie_is_no_credential(client, known):
    visitor = Visitor(client, cookie="f" * 64)
    assert visitor.call("GET", "/user").status == 401
    assert visitor.call("GET", f"/projects/{known.public.id}").status == 200


def test_a_token_goes_before_the_cookie(signed_in):
    assert signed_in.call("GET", "/user", {"Private-Token": "wrong"}).status == 401


def test_signing_out_ends_the_session_at_once(signed_in):
    kept = signed_in.cookie
    signed_in.open("/profile/personal_access_tokens")
    answer = signed_in.send("/users/sign_out")
    assert answer.headers["Location"] == "/users/sign_in"
    assert signed_in.cookie == ""
    assert Visitor(signed_in.client, cookie=kept).call("GET", "/user").status == 401


@pytest.mark.parametrize("deed", ["block", "delete", "password"])
def test_a_session_ends_when_its_user_is_blocked_deleted_or_given_a_password(signed_in, known, deed):
    path = f"/users/{known.reporter.id}"
    verb = {"block": ("POST", f"{path}/block"), "delete": ("DELETE", path), "password": ("PUT", path)}[deed]
    assert known.root.ask(*verb, params={"password": "another password"} if deed == "password" else None).status < 300
    assert signed_in.call("GET", "/user").status == 401
    assert signed_in.open("/profile/personal_access_tokens").status == 302


def test_a_session_ends_after_seven_days_without_use(signed_in, known):
    known.run("UPDATE sessions SET expires_at = :now", now=clock.now())
    assert signed_in.call("GET", "/user").status == 401


def test_the_first_visit_of_a_day_makes_the_session_last_longer(signed_in, known):
    known.run("UPDATE sessions SET prolong_at = :now", now=clock.now())
    assert signed_in.cookie in signed_in.open("/profile/personal_access_tokens").headers["Set-Cookie"]
    assert "Set-Cookie" not in signed_in.open("/profile/personal_access_tokens").headers


def test_the_api_sets_no_cookie(signed_in):
    assert "Set-Cookie" not in signed_in.call("GET", "/user").headers


def test_signing_in_is_activity(signed_in, known):
    shown = known.root.get(f"/users/{known.reporter.id}").json
    assert shown["last_activity_on"] == clock.today()
    assert shown["current_sign_in_at"]
