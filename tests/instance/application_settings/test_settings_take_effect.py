"""Settings that are stored are settings that hold."""

import pytest

from tests.accounts.mails.conftest import box
from tests.accounts.sessions.conftest import PASSWORD, hashed, known, signed_in, visitor
from tests.harness.client import Raw
from tests.harness.creation import make_project
from tests.harness.visitor import Visitor
from tests.instance.application_settings.test_edit_settings import ANN, RESTRICTED, decide

__all__ = ["box", "decide", "hashed", "known", "signed_in", "visitor"]

ELSEWHERE = {"message": {"email": ["is not from an allowed domain."]}}


@pytest.mark.parametrize(
    ("said", "welcome", "unwelcome"),
    [
        ({"domain_whitelist": ["example.org", "*.example.net"]}, ["example.org", "a.example.net"], ["example.net"]),
        (
            {"domain_blacklist": ["spam.example", "mü.example"], "domain_blacklist_enabled": True},
            ["fine.example", "mu.example"],
            ["SPAM.example", "ｓｐａｍ.example", "spam。example", "spam.example.", "xn--m-eha.example"],
        ),
        ({"domain_blacklist": ["spam.example"]}, ["spam.example"], []),
    ],
)
def test_people_have_their_address_where_administrators_want_it(cast, decide, said, welcome, unwelcome):
    guest = f"/users/{cast.guest.id}"
    decide(**said)
    for domain in unwelcome:
        refused = cast.root.post("/users", **ANN | {"email": f"ann@{domain}"})
        assert (refused.status, refused.json) == (400, ELSEWHERE)
        assert cast.root.put(guest, email=f"guest@{domain}").json == ELSEWHERE
    for number, domain in enumerate(welcome):
        made = cast.root.post("/users", **ANN | {"email": f"ann@{domain}", "username": f"ann{number}"})
        assert made.status == 201
        assert cast.root.put(guest, email=f"guest@{domain}").status == 200


def test_allowed_domains_do_not_apply_to_addresses_that_users_already_have(cast, decide):
    decide(domain_whitelist=["example.net"])
    guest = cast.root.put(f"/users/{cast.guest.id}", name="Guest", email="guest@example.org")
    assert guest.status == 200


def test_a_person_cannot_take_an_address_elsewhere_on_a_page(signed_in, decide):
    decide(domain_whitelist=["example.org"])
    signed_in.open("/profile/emails")
    said = {"email": "me@example.net", "current_password": PASSWORD}
    assert "is not from an allowed domain." in signed_in.send("/profile/email", user=said).text


def test_the_setting_determines_how_long_sessions_last(visitor, decide, cast):
    decide(session_expire_delay=90)
    answer = visitor.sign_in("reporter", PASSWORD)
    assert "Max-Age=5400" in answer.headers["Set-Cookie"]
    cast.run("UPDATE sessions SET prolong_at = expires_at WHERE prolong_at < expires_at")
    assert "Set-Cookie" not in visitor.open("/profile").headers
    cast.run("UPDATE sessions SET prolong_at = created_at")
    decide(session_expire_delay=30)
    assert "Max-Age=1800" in visitor.open("/profile").headers["Set-Cookie"]


def test_sessions_last_at_all(cast):
    answer = cast.root.put("/application/settings", session_expire_delay=0)
    assert answer.json == {"message": {"session_expire_delay": ["must be greater than or equal to 1"]}}


def test_sessions_and_respites_end_within_the_calendar(cast, visitor, decide):
    for name, most in (("session_expire_delay", 2_147_483_647), ("two_factor_grace_period", 10_000_000)):
        answer = cast.root.put("/application/settings", **{name: most + 1})
        assert answer.json == {"message": {name: [f"must be less than or equal to {most}"]}}
        decide(**{name: most})
    decide(require_two_factor_authentication=True)
    assert "Set-Cookie" in visitor.sign_in("reporter", PASSWORD).headers


def test_snippets_are_as_visible_as_decided_unless_said(cast, decide):
    snippet = {"title": "A", "file_name": "a", "content": "a"}
    assert cast.guest.post("/snippets", **snippet).json["visibility"] == "private"
    decide(default_snippet_visibility="public")
    public = cast.guest.post("/snippets", **snippet).json
    assert public["visibility"] == "public"
    decide(restricted_visibility_levels=["public"])
    assert cast.guest.post("/snippets", **snippet).json == RESTRICTED
    private = cast.guest.post("/snippets", **snippet, visibility="private").json
    assert cast.guest.put(f"/snippets/{private['id']}", visibility="public").json == RESTRICTED
    assert cast.guest.put(f"/snippets/{public['id']}", title="B").status == 200
    path = f"/projects/{cast.public.id}/snippets"
    assert cast.reporter.post(path, title="A", file_name="a", code="a", visibility="public").json == RESTRICTED


def test_new_projects_use_shared_runners_as_decided(cast, decide):
    decide(shared_runners_enabled=False)
    assert make_project(cast.guest, "Den")["shared_runners_enabled"] is False
    assert make_project(cast.guest, "Sett", shared_runners_enabled=True)["shared_runners_enabled"] is True


def test_repositories_are_imported_unless_that_is_switched_off(cast, decide):
    decide(import_sources=[])
    answer = cast.guest.post("/projects", name="Den", import_url="https://example.org/den.git")
    assert answer.json == {"message": {"import_url": ["imports are switched off by your administrator"]}}
    assert cast.guest.get("/projects", owned=True).json == []


def test_git_comes_by_the_way_that_is_open(cast, client, decide):
    paths = [
        f"//{path}.git/info/refs?service=git-{service}"
        for path in (cast.public.path, cast.private.path, "no/such")
        for service in ("upload-pack", "receive-pack")
    ]
    path, *_ = paths
    assert [client.get(each).status for each in paths] == [200, *[401] * 5]
    decide(enabled_git_access_protocol="ssh")
    answers = [client.get(each) for each in paths]
    assert {(answer.status, answer.text) for answer in answers} == {(403, "Git access over HTTP is not allowed")}
    decide(enabled_git_access_protocol="http")
    assert client.get(path).status == 200


def test_only_administrators_register_applications_where_people_may_not(signed_in, visitor, decide, client):
    said = {"name": "Robot", "redirect_uri": "https://robot.example/back", "scopes": ["api"]}
    decide(user_oauth_applications=False)
    assert "Only administrators can register applications" in signed_in.open("/profile/applications").text
    assert (
        "Applications are registered by administrators"
        in signed_in.send("/profile/applications", application=said, authenticity_token=signed_in.token).text
    )
    root = Visitor(client)
    root.sign_in("root", PASSWORD)
    root.open("/profile/applications")
    assert root.send("/profile/applications", application=said).status == 200


def test_pages_say_and_lead_where_administrators_want(visitor, decide):
    decide(sign_in_text="Ask Ada <ada@example.org>", home_page_url="https://example.org/us")
    assert visitor.open("/").headers["Location"] == "https://example.org/us"
    assert "Ask Ada &lt;ada@example.org&gt;" in visitor.open("/users/sign_in").text
    visitor.sign_in("reporter", PASSWORD)
    assert "Your projects" in visitor.open("/").text
    decide(after_sign_out_path="/users/password/new", home_page_url="http://mujina.test/")
    visitor.open("/profile")
    assert visitor.send("/users/sign_out").headers["Location"] == "/users/password/new"
    assert visitor.open("/").headers["Location"] in ("/explore", "/users/sign_in")
    decide(after_sign_out_path="https://example.org/bye?a=1")
    visitor.sign_in("reporter", PASSWORD)
    visitor.open("/profile")
    assert '<a href="https://example.org/bye?a=1">' in visitor.send("/users/sign_out").text
    assert visitor.open("/profile").status == 302


@pytest.mark.parametrize(
    "address", ["javascript:alert(1)", "//example.org", "https://a.example/;url=x", "ftp://a", "https://a.example/日本"]
)
def test_pages_lead_to_the_web(cast, address):
    answer = cast.root.put("/application/settings", home_page_url=address, after_sign_out_path=address)
    assert answer.json == {"message": {"home_page_url": ["is invalid"], "after_sign_out_path": ["is invalid"]}}


def test_mails_are_plain_where_that_is_wanted(cast, decide, box):
    for html in (True, False):
        decide(html_emails_enabled=html)
        cast.root.post("/users", **ANN | {"email": f"ann@{html}.example", "username": f"ann{html}"})
        kinds = {part.get_content_type() for part in box.mails[-1].walk()}
        assert ("text/html" in kinds) is html


def test_anybody_else_is_told_by_the_api_without_a_page(client, cast, decide):
    decide(password_authentication_enabled_for_git=False)
    path = f"//{cast.public.path}.git/info/refs?service=git-upload-pack"
    answer = client.get(path, Raw(headers={"authorization": "Basic Z3Vlc3Q6bmV2ZXIgdXNlZA=="}))
    assert answer.status == 401
    assert "personal access token" in answer.text
