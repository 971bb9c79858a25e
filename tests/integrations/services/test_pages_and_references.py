"""The pages of services, and references to trackers elsewhere."""

import pytest

SECRET = "https://chat.example/hooks/qxq-service-secret"


@pytest.fixture
def here(cast):
    return f"/{cast.private.path}/services"


def test_a_service_is_set_up_in_the_browser(browse, cast, here):
    master = browse("master")
    listed = master.open(here).text
    assert all(title in listed for title in ("Slack notifications", "Jira", "Settings are stored only"))
    assert browse("developer").open(here).status == 403
    assert master.open(f"{here}/songs/edit").status == 404
    form = master.open(f"{here}/slack/edit").text
    assert "only stored" not in form
    refused = master.send(f"{here}/slack", service={"channel": "#kept"})
    assert (refused.status, "#kept" in refused.text) == (422, True)
    saved = master.send(f"{here}/slack", service={"webhook": SECRET, "channel": "#dev", "active": "true"})
    assert (saved.status, saved.headers["Location"]) == (303, f"{here}/slack/edit")
    page = master.open(f"{here}/slack/edit").text
    assert (SECRET in page, "#dev" in page, "Leave empty to keep it" in page) == (False, True, True)
    assert master.send(f"{here}/slack", service={"webhook": "", "channel": "#ops"}).status == 303
    assert cast.master.get(f"/projects/{cast.private.id}/services/slack").json["properties"]["channel"] == "#ops"
    assert master.send(f"{here}/slack/delete").status == 303
    assert cast.master.get(f"/projects/{cast.private.id}/services").json == []


def test_a_service_that_keeps_failing_says_so_and_is_resumed(browse, cast, here):
    master = browse("master")
    assert cast.master.put(f"/projects/{cast.private.id}/services/slack", webhook=SECRET).status == 200
    assert "Resume" not in master.open(f"{here}/slack/edit").text
    cast.run("INSERT INTO hook_queues (hook_id, failures) SELECT h.id, 40 FROM hooks h WHERE h.service_id IS NOT NULL")
    assert "Deliveries stopped after 40 failures in a row" in master.open(f"{here}/slack/edit").text
    assert browse("developer").send(f"{here}/slack/resume").status == 403
    assert master.send(f"{here}/slack/resume").status == 303
    assert "in a row" not in master.open(f"{here}/slack/edit").text
    assert master.send(f"{here}/jira/resume").status == 404


def test_a_service_that_is_only_stored_says_so(browse, here):
    assert "stores the settings of this service" in browse("master").open(f"{here}/hipchat/edit").text


def test_a_wiki_elsewhere_is_in_the_navigation(browse, cast):
    guest, here = browse("guest"), f"/{cast.private.path}/external_wiki"
    assert (guest.open(here).status, "External wiki" in guest.open(f"/{cast.private.path}").text) == (403, False)
    saved = cast.master.put(
        f"/projects/{cast.private.id}/services/external-wiki", external_wiki_url="https://w.example/x"
    )
    assert saved.status == 200
    assert f'href="{here}"' in guest.open(f"/{cast.private.path}").text
    assert 'href="https://w.example/x"' in guest.open(here).text
    assert browse("stranger").open(here).status == 404


def _html(cast, text):
    return cast.guest.post("/markdown", text=text, gfm=True, project=cast.private.path).json["html"]


def test_keys_and_numbers_lead_to_a_tracker_elsewhere(cast):
    fields = {
        "project_url": "https://t.example",
        "new_issue_url": "https://t.example/new",
        "issues_url": "https://t.example/i/:id?x=1",
    }
    api = f"/projects/{cast.private.id}"
    assert "<a" not in _html(cast, "See ABC-12 and UTF-8.")
    assert cast.master.put(f"{api}/services/redmine", **fields).status == 200
    assert 'href="https://t.example/i/12?x=1"' in _html(cast, "See ABC-12.")
    assert f"/{cast.private.path}/issues/{cast.open}" in _html(cast, f"#{cast.open}"), "its own issues come first"
    cast.owner.put(api, issues_enabled=False)
    assert 'href="https://t.example/i/77?x=1"' in _html(cast, "#77")
    cast.master.put(f"{api}/services/redmine", active=False)
    assert "<a" not in _html(cast, "#77 ABC-12")
    jira = {"url": "https://jira.example", "username": "me", "password": "qxq-password"}
    assert cast.master.put(f"{api}/services/jira", **jira).status == 200
    assert 'href="https://jira.example/browse/ABC-12"' in _html(cast, "ABC-12")
    assert "<a" not in _html(cast, "`ABC-12` xABC-12")
    assert "<a" not in cast.stranger.post("/markdown", text=f"{cast.private.path}#77 ABC-12", gfm=True).json["html"]
