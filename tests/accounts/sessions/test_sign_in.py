import gzip
import re
from io import BytesIO

import pytest
from PIL import Image

from mujina.app import build, build_services
from mujina.settings import Settings
from mujina.web.assets import asset_address
from tests.accounts.sessions.conftest import PASSWORD
from tests.harness.client import Client, Raw
from tests.harness.visitor import Visitor

FAILED = "Invalid login or password."


@pytest.mark.parametrize("login", ["reporter", "Reporter", "reporter@example.org", "REPORTER@example.org"])
def test_users_sign_in_with_the_username_or_the_address(visitor, login):
    answer = visitor.sign_in(login, PASSWORD)
    assert (answer.status, answer.headers["Location"]) == (303, "/")
    assert "Your projects" in visitor.open("/").text


def test_the_cookie_is_for_our_server_alone(visitor):
    cookie = visitor.sign_in("reporter", PASSWORD).headers["Set-Cookie"]
    assert cookie.startswith("_service_session=")
    assert {"HttpOnly", "SameSite=Lax", "Path=/"} <= set(re.split("; ?", cookie))


@pytest.mark.parametrize("login", ["reporter", "nobody", "", "x" * 5000])
def test_a_wrong_password_and_an_unknown_name_get_the_same_answer(visitor, login):
    answer = visitor.sign_in(login, "not the password")
    assert answer.status == 422
    assert FAILED in answer.text
    assert visitor.open("/profile/personal_access_tokens").status == 302


def test_blocked_users_cannot_sign_in(visitor):
    assert visitor.sign_in("blocked", PASSWORD).status == 422
    assert "blocked" in visitor.page.text
    assert visitor.sign_in("blocked", "wrong").status == 422
    assert FAILED in visitor.page.text


def test_unconfirmed_users_cannot_sign_in(known, client):
    who = {"email": "new@example.org", "username": "new", "name": "New", "password": PASSWORD}
    assert known.root.post("/users", **who).status == 201
    visitor = Visitor(client)
    assert visitor.sign_in("new", PASSWORD).status == 422
    assert "confirm" in visitor.page.text


def test_ten_failures_lock_the_account(visitor):
    for _ in range(10):
        visitor.sign_in("reporter", "wrong")
    answer = visitor.sign_in("reporter@example.org", PASSWORD)
    assert answer.status == 422
    assert FAILED in answer.text
    assert visitor.sign_in("root", PASSWORD).status == 303


def test_a_right_password_forgives_the_failures_before_it(visitor, client):
    for _ in range(2):
        for _ in range(6):
            visitor.sign_in("reporter", "wrong")
        assert Visitor(client).sign_in("reporter", PASSWORD).status == 303


def test_a_form_without_its_token_is_refused(visitor):
    visitor.open("/users/sign_in")
    answer = visitor.send("/users/sign_in", token=None, user={"login": "reporter", "password": PASSWORD})
    assert answer.status == 422
    assert "This page has expired" in answer.text
    assert visitor.open("/").headers["Location"] == "/explore"


def test_a_form_shown_to_another_browser_is_refused(visitor, client):
    other = Visitor(client)
    other.open("/users/sign_in")
    visitor.open("/users/sign_in")
    answer = visitor.send("/users/sign_in", token=other.token, user={"login": "reporter", "password": PASSWORD})
    assert answer.status == 422


def test_a_cookie_planted_before_signing_in_is_worth_nothing_after(visitor, client):
    visitor.open("/users/sign_in")
    planted = visitor.cookie
    visitor.sign_in("reporter", PASSWORD)
    assert visitor.cookie != planted
    assert Visitor(client, cookie=planted).call("GET", "/user").status == 401


def test_signing_in_again_ends_the_session_before(signed_in, client):
    before = signed_in.cookie
    signed_in.send("/users/sign_in", token=None)
    visitor = Visitor(client, cookie=before)
    visitor.open("/profile/personal_access_tokens")
    visitor.send("/users/sign_in", user={"login": "root", "password": PASSWORD})
    assert Visitor(client, cookie=before).call("GET", "/user").status == 401
    assert visitor.call("GET", "/user").json["username"] == "root"


@pytest.mark.parametrize(
    "target",
    [
        "https://evil.example",
        "//evil.example",
        "/\\evil.example",
        "\\\\evil",
        "javascript:alert(1)",
        "/a\r\nX: y",
        " /x",
    ],
)
def test_a_sign_in_never_redirects_to_another_site(visitor, target):
    assert visitor.sign_in("reporter", PASSWORD, target=target).headers["Location"] == "/"


def test_signing_in_leads_to_the_requested_page(visitor):
    wanted = visitor.open("/profile/personal_access_tokens").headers["Location"]
    assert wanted == "/users/sign_in?target=/profile/personal_access_tokens"
    visitor.open(wanted)
    assert visitor.field("target") == "/profile/personal_access_tokens"


def test_pages_guard_themselves(visitor):
    headers = visitor.open("/users/sign_in").headers
    assert headers["Content-Security-Policy"].startswith("default-src 'none'")
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["Cache-Control"] == "private, no-cache"
    assert "form-action 'self'" in Visitor(visitor.client).open("/help/nowhere").headers["Content-Security-Policy"]


def test_names_are_shown_as_text(visitor):
    visitor.sign_in('"><script>alert(1)</script>', "wrong")
    assert "<script>" not in visitor.page.text


def test_programs_are_told_in_json_that_there_is_nothing(client):
    answer = client.get("//nowhere")
    assert (answer.status, answer.json) == (404, {"error": "404 Not Found"})


def test_the_style_is_served(client):
    address = asset_address("site.css")
    answer = client.get(f"/{address}", Raw(headers={"accept-encoding": "gzip"}))
    assert answer.headers["Content-Type"].startswith("text/css")
    assert "immutable" in answer.headers["Cache-Control"]
    assert gzip.decompress(answer.body) == client.get(f"/{address}").body


def test_the_icon_is_served(client):
    answer = client.ask("GET", "//favicon.ico")
    assert (answer.status, answer.headers["Content-Type"]) == (200, "image/x-icon")
    assert "max-age" in answer.headers["Cache-Control"]
    assert Image.open(BytesIO(answer.body), formats=["ICO"]).size == (48, 48)


def test_a_sign_in_with_malformed_bytes_is_refused(client):
    answer = client.post("//users/sign_in", Raw(body=b"\xff\xfe=%", type="application/x-www-form-urlencoded"))
    assert answer.status in (400, 422)


def test_the_cookie_is_secure_behind_https(stage, database, known):
    settings = Settings(data=stage.folder, jobs="inline", external_url="https://mujina.test", password_kilobytes=64)
    visitor = Visitor(Client(build(build_services(settings, database)), stage.loop))
    answer = visitor.sign_in("reporter", PASSWORD)
    assert "Secure" in re.split("; ?", answer.headers["Set-Cookie"])
    assert answer.headers["Strict-Transport-Security"] == "max-age=31536000"


def test_no_password_signs_in_where_passwords_are_disabled(visitor, known):
    assert known.root.put("/application/settings", password_authentication_enabled_for_web=False).status == 200
    assert visitor.sign_in("reporter", PASSWORD).status == 422


def test_a_sign_in_upgrades_an_outdated_hash(known, stage, database, loop):
    settings = Settings(data=stage.folder, jobs="inline", external_url="http://mujina.test", password_kilobytes=128)
    dearer = Client(build(build_services(settings, database)), loop)

    def memory():
        stored = known.value("SELECT password_hash FROM users WHERE id = :id", id=known.reporter.id)
        return stored.split("$")[3].split(",")[0]

    assert Visitor(dearer).sign_in("reporter", "wrong").status == 422
    assert memory() == "m=64"
    for _ in range(2):
        assert Visitor(dearer).sign_in("reporter", PASSWORD).status == 303
        assert memory() == "m=128"
