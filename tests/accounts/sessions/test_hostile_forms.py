"""No form, whatever is in it, gives a 5xx."""

import pytest

from tests.accounts.sessions.conftest import PASSWORD
from tests.harness.client import Raw
from tests.harness.composed import PAGES

FIELDS = [
    "user[login]", "user[password]", "user[email]", "user[name]", "user[current_password]", "user[password_confirmation]",
    "user[reset_password_token]", "confirmation_token", "personal_access_token[name]", "personal_access_token[scopes][]",
    "personal_access_token[expires_at]", "id", "ticket", "code", "target", "key[title]", "key[key]", "email[email]",
    "application[name]", "application[redirect_uri]", "application[scopes][]", "client_id", "client_secret",
    "redirect_uri", "response_type", "scope", "state", "code_challenge", "grant_type", "refresh_token", "username",
    "token", "current_password", "notice",
]  # fmt: skip
VALUES = ["", "x", "%00", "%FF%FE", "9" * 30, "-1", "a" * 20_000, "%F0%9F%92%A9", "%0D%0AX: y", "{{7*7}}", "'\"><b>"]
OF_DATABASES = ["x", "9" * 30, "a" * 20_000]
"""What engines may take differently."""
ACCOUNT_PAGES = [page for page in PAGES if page.handler.__module__.startswith("mujina.accounts.")]
FORMS = [page for page in ACCOUNT_PAGES if page.verb == "POST"]
VIEWS = [page for page in ACCOUNT_PAGES if page.verb == "GET"]
FORM = "application/x-www-form-urlencoded"


def filled(value):
    return "&".join(f"{name}={value}" for name in FIELDS) + "&authenticity_token=TOKEN"


BODIES = {
    "postgres": [filled(value) for value in OF_DATABASES],
    "sqlite": [
        *map(filled, VALUES),
        "&".join(f"{name.partition('[')[0]}[][]=x" for name in FIELDS) + "&authenticity_token=TOKEN",
        "&".join(f"{name}[a][b]=x" for name in FIELDS) + "&authenticity_token=TOKEN",
        "authenticity_token[]=x",
        "%",
        "",
    ],
}


@pytest.mark.parametrize("page", FORMS, ids=lambda page: page.path)
def test_no_form_breaks_us(page, engine, signed_in):
    for template in BODIES[engine]:
        if signed_in.open("/profile").status != 200:
            signed_in.sign_in("reporter", PASSWORD)
            signed_in.open("/profile")
        body = template.replace("TOKEN", signed_in.token).encode()
        raw = Raw(body=body, type=FORM, headers=signed_in._said())
        answer = signed_in._keep(signed_in.client.ask("POST", f"/{page.path}", raw))
        assert answer.status < 500, (body[:200], answer)


def test_no_query_breaks_us(engine, signed_in):
    for page in VIEWS:
        for body in BODIES[engine]:
            answer = signed_in.client.ask("GET", f"/{page.path}?{body[:8000]}", Raw(headers=signed_in._said()))
            assert answer.status < 500, (page.path, body[:200], answer)
            assert "'\"><b>" not in answer.text


@pytest.mark.parametrize(
    "kind", ["application/json", "multipart/form-data; boundary=x", "text/xml", "multipart/form-data"]
)
def test_no_kind_of_body_breaks_us(signed_in, kind):
    for body in (
        b"[]",
        b'{"user": [1]}',
        b'{"user": {"login": {"a": 1}, "password": []}}',
        b"--x\r\n\r\n\r\n--x--",
        b"<a/>",
    ):
        answer = signed_in.client.ask("POST", "//users/sign_in", Raw(body=body, type=kind, headers=signed_in._said()))
        assert answer.status < 500
