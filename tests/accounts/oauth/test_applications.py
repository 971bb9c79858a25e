import pytest

from tests.accounts.oauth.conftest import BACK, bearer, consent
from tests.harness.cases import Case, Has, cases

GOOD = {"name": "App", "redirect_uri": "https://app.example/back", "scopes": "api"}


@cases(
    [
        Case("root", "POST /applications", 201, Has(callback_url=GOOD["redirect_uri"], application_name="App"), GOOD),
        Case("owner", "POST /applications", 403, params=GOOD),
        Case("anonymous", "POST /applications", 401, params=GOOD),
        Case("root", "POST /applications", 400, params={"name": "App"}),
        Case("root", "POST /applications", 400, {"message": {"name": ["can't be blank"]}}, GOOD | {"name": " "}),
        Case("root", "POST /applications", 400, params=GOOD | {"scopes": "everything"}),
    ]
)
def test_administrators_register_applications(case, cast):
    case.holds(cast)


@pytest.mark.parametrize(
    "uri",
    [
        "/back",
        "app.example/back",
        "https:///x",
        "javascript:alert(1)",
        "data:text/html,x",
        "https://a.b/#x",
        "http://[",
        "",
    ],
)
def test_an_address_that_is_none_or_runs_something_is_refused(cast, uri):
    assert "redirect_uri" in cast.root.post("/applications", **GOOD | {"redirect_uri": uri}).json["message"]


def test_people_register_their_own_and_see_the_secret_once(signed_in, known, client):
    page = "/profile/applications"
    signed_in.open(page)
    said = {"name": "Mine", "redirect_uri": BACK, "scopes": ["read_user"], "confidential": "true"}
    assert signed_in.send(page, application=said).status == 200
    secret = signed_in.field("secret")
    assert secret not in signed_in.open(page).text
    assert "Mine" in signed_in.page.text
    assert "Remove the application “Mine”?" in signed_in.open(*signed_in.links(f"{page}/remove?")).text
    signed_in.send(f"{page}/remove", id=signed_in.field("id"))
    assert "Mine" not in signed_in.open(page).text


def test_no_user_removes_the_application_of_another(signed_in, app, client):
    signed_in.open("/profile/applications")
    assert signed_in.send("/profile/applications/remove", id=1).status == 404
    assert app.post("/oauth/introspect", token="x").status == 200


def test_consent_withdrawn_ends_what_the_client_holds(signed_in, app, tokens, client):
    signed_in.open("/profile/applications")
    assert "App" in signed_in.page.text
    assert "Revoke the access of “" in signed_in.open(*signed_in.links("/profile/applications/withdraw?")).text
    assert bearer(client, tokens["access_token"]).status == 200
    assert signed_in.send("/profile/applications/withdraw", id=signed_in.field("id")).status == 303
    assert bearer(client, tokens["access_token"]).status == 401
    assert app.refresh(tokens["refresh_token"]).status == 401
    assert consent(signed_in, app)
