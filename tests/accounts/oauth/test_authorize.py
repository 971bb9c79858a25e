import pytest

from mujina.accounts.oauth.operations import SCOPES
from tests.accounts.oauth.conftest import BACK, PKCE, App, consent, query
from tests.harness.visitor import Visitor


def test_anonymous_visitors_sign_in_before_they_authorize(visitor, app):
    answer = visitor.open("/oauth/authorize", **app.ask())
    assert answer.headers["Location"].startswith("/users/sign_in?target=/oauth/authorize%3Fclient_id%3D")


def test_a_person_is_asked_and_sends_the_client_a_code(signed_in, app):
    signed_in.open("/oauth/authorize", **app.ask())
    assert "App" in signed_in.page.text
    assert "form-action" not in signed_in.page.headers["Content-Security-Policy"]
    answer = signed_in.send("/oauth/authorize", **app.ask())
    assert answer.status == 303
    assert answer.headers["Location"].startswith(f"{BACK}&code=")
    assert query(answer)["state"] == "s 1"


def test_forms_before_the_consent_may_redirect_to_the_client(signed_in):
    """Browsers apply the policy of a form to the whole chain of redirects that follows from it."""
    for path in ("/profile/password/new", "/profile/two_factor_auth"):
        for target, limited in (("/oauth/authorize?client_id=x", False), ("/", True)):
            page = signed_in.open(path, target=target)
            assert ("form-action" in page.headers["Content-Security-Policy"]) is limited, path


def test_consent_once_given_is_not_asked_for_again(signed_in, app, tokens):
    assert "code" in query(signed_in.open("/oauth/authorize", **app.ask()))
    assert signed_in.open("/oauth/authorize", **app.ask(scope="api read_user")).status == 200


def test_every_scope_can_be_granted(signed_in, known, client):
    scopes = " ".join(SCOPES)
    made = known.root.post("/applications", name="Every", redirect_uri=BACK, scopes=scopes).json
    every = App(client, made["application_id"], made["secret"])
    page = signed_in.open("/oauth/authorize", **every.ask(scope=scopes))
    assert page.status == 200
    assert all(f"<b>{scope}</b>" in page.text for scope in SCOPES)
    code = query(signed_in.send("/oauth/authorize", **every.ask(scope="openid profile email")))["code"]
    granted = every.exchange(code).json
    assert (granted["scope"], "id_token" in granted) == ("openid profile email", True)


def test_a_person_may_say_no(signed_in, app):
    signed_in.open("/oauth/authorize", **app.ask())
    told = query(signed_in.send("/oauth/authorize/deny", **app.ask()))
    assert (told["error"], told["state"]) == ("access_denied", "s 1")


@pytest.mark.parametrize(
    "wrong",
    [
        {"client_id": "0" * 64},
        {"redirect_uri": "https://evil.example/"},
        {"redirect_uri": f"{BACK}&more=1"},
        {"redirect_uri": None},
        {"redirect_uri": "https://app.example/back?keep=1#x"},
    ],
)
def test_an_unknown_redirect_uri_is_not_followed(signed_in, app, wrong):
    answer = signed_in.open("/oauth/authorize", **app.ask(**wrong))
    assert answer.status == 422
    assert "Location" not in answer.headers
    assert "evil.example" not in answer.text


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"response_type": "token"}, "unsupported_response_type"),
        ({"response_type": None}, "unsupported_response_type"),
        ({"scope": "sudo"}, "invalid_scope"),
        ({"scope": "bogus"}, "invalid_scope"),
        ({"code_challenge": "x" * 43, "code_challenge_method": "plain"}, "invalid_request"),
        ({"code_challenge": "short", "code_challenge_method": "S256"}, "invalid_request"),
    ],
)
def test_the_client_is_told_what_is_wrong(signed_in, app, wrong, error):
    told = query(signed_in.open("/oauth/authorize", **app.ask(**wrong)))
    assert (told["error"], told["state"]) == (error, "s 1")


def test_consent_takes_the_form_of_the_page(signed_in, app):
    signed_in.open("/oauth/authorize", **app.ask())
    assert signed_in.send("/oauth/authorize", token=None, **app.ask()).status == 422


def test_a_client_without_a_secret_must_prove_itself_and_always_asks(signed_in, app, client):
    signed_in.open("/profile/applications")
    said = {"name": "Native", "redirect_uri": "com.example.app:/back", "scopes": ["api"]}
    signed_in.send("/profile/applications", application=said)
    asked = {
        "client_id": signed_in.field("application_id"),
        "redirect_uri": said["redirect_uri"],
        "response_type": "code",
    }
    assert query(signed_in.open("/oauth/authorize", **asked))["error"] == "invalid_request"
    for _ in range(2):
        assert signed_in.open("/oauth/authorize", **asked, **PKCE).status == 200


def test_a_blocked_person_consents_to_nothing(signed_in, app, known):
    code = consent(signed_in, app)
    known.root.post(f"/users/{known.reporter.id}/block")
    assert app.exchange(code).json["error"] == "invalid_grant"
    assert signed_in.open("/oauth/authorize", **app.ask()).status == 302


def test_another_browser_is_not_signed_in(signed_in, app, client):
    assert Visitor(client).open("/oauth/authorize", **app.ask()).status == 302
