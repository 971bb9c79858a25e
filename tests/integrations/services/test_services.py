"""/projects/:id/services: what is stored, what comes back, and what it is refused for."""

import pytest

from mujina.integrations.services.kinds import CATALOG, EVENTS
from mujina.integrations.services.params import SaveService
from tests.harness.cases import Case, Has, cases
from tests.harness.client import Raw

HERE = "/projects/{private.id}/services"
OLDER = Raw(headers={"If-Unmodified-Since": "Mon, 01 Jan 2018 00:00:00 GMT"})
SECRET = "https://chat.example/hooks/qxq-service-secret"


@cases([
    Case("anonymous", f"GET {HERE}/slack", 401),
    Case("stranger", f"GET {HERE}/slack", 404, {"message": "404 Project Not Found"}),
    Case("developer", f"GET {HERE}/slack", 403, {"message": "403 Forbidden"}),
    Case("developer", f"PUT {HERE}/slack", 403, params={"webhook": SECRET}, events=[]),
    Case("developer", f"GET {HERE}", 403),
    Case("master", f"GET {HERE}", 200, []),
    Case("master", f"GET {HERE}/slack", 200,
         Has(id=None, slug="slack", title="Slack notifications", active=False, push_events=False, properties={})),
    Case("master", "GET /projects/{private.id}/integrations/slack", 200, Has(id=None, slug="slack")),
    Case("master", f"GET {HERE}/mattermost_slash_commands", 200, Has(slug="mattermost-slash-commands")),
    Case("master", f"GET {HERE}/songs", 400, {"error": "service_slug does not have a valid value"}),
    Case("master", f"PUT {HERE}/songs", 400, {"error": "service_slug does not have a valid value"}),
    Case("master", f"DELETE {HERE}/songs", 400, {"error": "service_slug does not have a valid value"}),
    Case("master", f"DELETE {HERE}/slack", 404, {"message": "404 Service Not Found"}),
    Case("master", f"PUT {HERE}/slack/test", 404, {"message": "404 Service Not Found"}),
    Case("master", f"PUT {HERE}/slack", 400, Has(error="webhook is missing"), events=[]),
    Case("master", f"PUT {HERE}/drone-ci", 400, Has(error="token is missing, drone_url is missing")),
    Case("master", f"PUT {HERE}/slack", 400, {"message": {"webhook": ["is not an address that services may call"]}}, {"webhook": "http://127.0.0.1/x"}),
    Case("master", f"PUT {HERE}/slack", 400, {"error": "push_events is invalid"}, {"webhook": SECRET, "push_events": "often"}),
    Case("master", f"PUT {HERE}/slack", 400, {"message": {"channel": ["is too long (maximum is 4000 characters)"]}},
         {"webhook": SECRET, "channel": "x" * 4001}),
    Case("master", f"PUT {HERE}/external-wiki", 400, {"message": {"external_wiki_url": ["must be a valid URL"]}},
         {"external_wiki_url": "javascript:1"}),
    Case("master", f"PUT {HERE}/external-wiki", 200, Has(properties={"external_wiki_url": "http://10.0.0.1/"}),
         {"external_wiki_url": "http://10.0.0.1/"}),
    Case("master", f"PUT {HERE}/slack", 200,
         Has(active=True, push_events=True, confidential_issues_events=False, job_events=False), {"webhook": SECRET},
         events=["service.created"]),
    Case("master", f"PUT {HERE}/slack", 200, Has(active=False), {"webhook": SECRET, "active": False}),
])  # fmt: skip
def test_services_need_permission_and_valid_fields(case, cast):
    case.holds(cast)


@pytest.fixture
def here(cast):
    return f"/projects/{cast.private.id}/services"


def test_a_service_is_saved_shown_changed_and_removed(cast, here):
    saved = cast.master.put(f"{here}/slack", webhook=SECRET, channel="#dev", issues_events=False).json
    assert saved["properties"]["channel"] == "#dev"
    assert "webhook" not in saved["properties"]
    assert cast.master.get(f"{here}/slack").json == saved
    [listed] = cast.master.get(here).json
    assert listed == {name: value for name, value in saved.items() if name != "properties"}
    stored = cast.rows("SELECT s.secrets, s.properties FROM services s")[0]
    assert not any(SECRET in text for text in stored)
    changed = cast.master.put(f"{here}/slack", channel="", username="bot", push_events=False).json
    assert (changed["properties"]["channel"], changed["properties"]["username"]) == (None, "bot")
    assert (changed["push_events"], changed["issues_events"], changed["note_events"]) == (False, False, True)
    assert cast.master.get(f"/projects/{cast.private.id}/hooks").json == [], "its hook is not one of the project"
    assert cast.rows("SELECT h.push_events, h.note_events FROM hooks h") == [(0, 1)]
    assert cast.master.put(f"{here}/slack", active=False).status == 200
    assert (cast.master.get(here).json, cast.rows("SELECT h.id FROM hooks h")) == ([], [])
    assert cast.master.delete(f"{here}/slack", OLDER).status == 412
    assert cast.master.delete(f"{here}/slack").status == 204
    assert cast.master.get(f"{here}/slack").json["id"] is None


def test_an_address_on_another_server_clears_the_secrets(cast, here):
    fields = {
        "jenkins_url": "https://one.example/ci",
        "project_name": "x",
        "username": "me",
        "password": "qxq-password",
    }
    assert cast.master.put(f"{here}/jenkins", **fields).status == 200
    assert cast.master.put(f"{here}/jenkins", jenkins_url="https://one.example/other").status == 200
    teamcity = {"teamcity_url": "https://one.example", "build_type": "x", "username": "me", "password": "qxq-password"}
    assert cast.master.put(f"{here}/teamcity", **teamcity).status == 200
    assert cast.master.put(f"{here}/teamcity", build_type="y").status == 200
    moved = cast.master.put(f"{here}/teamcity", teamcity_url="https://two.example")
    assert (moved.status, moved.json["error"]) == (400, "password is missing")


def test_changes_are_audited_without_secrets(cast, here):
    cast.master.put(f"{here}/slack", webhook=SECRET, channel="#dev")
    cast.master.put(f"{here}/slack", webhook=f"{SECRET}2", channel="#ops")
    cast.master.delete(f"{here}/slack")
    entries = cast.owner.get(f"/projects/{cast.private.id}/audit_events").json
    details = [entry["details"] for entry in entries if entry["details"]["target_type"] == "Service"]
    assert [next(iter(each)) for each in details] == ["remove", "change", "add"]
    assert details[1]["change"] == "channel"


def test_every_service_can_be_saved_with_its_fields_and_shows_no_secret(cast, here, browse):
    master = browse("master")
    values = {
        "text": "x",
        "secret": "qxq-service-secret",
        "boolean": True,
        "integer": 1,
        "url": "https://x.example",
        "link": "https://x.example",
    }
    for slug, service in CATALOG.items():
        given = {field.name: values[field.kind] for field in service.fields} | (
            {"webhook": SECRET} if any(field.name == "webhook" for field in service.fields) else {}
        )
        shown = cast.master.put(f"{here}/{slug}", **given)
        assert shown.status == 200, (slug, shown)
        plain = {field.name for field in service.fields if field.kind != "secret"}
        assert shown.json["properties"] == {name: given[name] for name in plain}, slug
        again = cast.master.get(f"{here}/{slug}")
        page = master.open(f"/{cast.private.path}/services/{slug}/edit")
        assert (again.json, page.status) == (shown.json, 200), slug
        assert "qxq-service-secret" not in shown.text + again.text + page.text, slug
        assert ("stores the settings of this service" in page.text) != service.acts, slug
    first = cast.master.get(here, per_page=5)
    assert (first.headers["X-Total"], len(first.json)) == (str(len(CATALOG)), 5)


def test_parameters_are_those_of_the_catalog():
    fields = {field.name for service in CATALOG.values() for field in service.fields}
    assert set(SaveService.__struct_fields__) == {"active", *EVENTS, *fields}
