"""The pages of hooks: their forms, tests, pauses and deliveries."""

import pytest

from mujina.integrations.hooks.rules import MAX_FAILURES
from tests.adapters.receiver import answer
from tests.harness.browsers import browser_of
from tests.harness.creation import make_project

SECRET = "qxq-hook-secret"


@pytest.fixture
def answers():
    return [answer(b"thanks"), answer(b"broken", status="500 Oops")]


@pytest.fixture
def browse(hooks, database):
    return lambda name: browser_of(getattr(hooks.cast, name), database, hooks.cast.anonymous)


@pytest.fixture
def place(hooks):
    """The page of the hooks of a project."""
    return f"/{hooks.cast.private.path}/hooks"


@pytest.fixture
def here(hooks, place):
    """The page of a hook with a secret token."""
    return place + hooks.add(token=SECRET, issues_events=True).rpartition("/hooks")[2]


@pytest.fixture
def fail(here, cast):
    """Records so many consecutive failures of the hook, after which it is paused."""
    return lambda failures: cast.run(
        """INSERT INTO hook_queues (hook_id, failures, disabled_until) VALUES (:id, :failures, :until)
           ON CONFLICT (hook_id) DO UPDATE SET failures = excluded.failures, disabled_until = excluded.disabled_until""",
        id=int(here.rpartition("/")[2]), failures=failures, until="2999-01-01T00:00:00.000Z",
    )  # fmt: skip


def test_a_hook_is_added_and_deleted(hooks, browse, place):
    master, cast = browse("master"), hooks.cast
    page = master.open(f"/{cast.private.path}/settings/integrations").text
    assert "Webhooks send a request to a URL when something happens here." in page
    refused = master.send(place, hook={"url": "ftp://kept.example", "issues_events": "true"})
    shown = [words in refused.text for words in ("ftp://kept.example", 'id="hook_url-problem"')]
    assert (refused.status, shown) == (422, [True, True])
    added = master.send(place, hook={"url": hooks.url(), "issues_events": "true", "push_events": "false"})
    assert (added.status, added.headers["Location"]) == (303, place)
    assert "Never called" in master.open(place).text
    [hook] = cast.master.get(f"/projects/{cast.private.id}/hooks").json
    assert master.send(f"{place}/{hook['id']}/delete").status == 303
    assert cast.master.get(f"/projects/{cast.private.id}/hooks").json == []


def test_the_token_of_a_hook_is_sent_and_never_shown(hooks, browse, here):
    master = browse("master")
    page = master.open(f"{here}/edit").text
    assert ("Set. Leave empty to keep it." in page, SECRET in page) == (True, False)
    assert master.send(here, hook={"url": hooks.url("/other"), "issues_events": "true"}).status == 303
    assert master.send(f"{here}/test", trigger="issues_events").status == 303
    [request] = hooks.requests()
    assert request.headers["x-gitlab-token"] == SECRET
    assert master.send(here, hook={"url": hooks.url(), "remove_token": "true"}).status == 303
    assert "Set. Leave empty" not in master.open(f"{here}/edit").text


def test_a_delivery_is_shown_and_repeated(browse, place, here):
    master = browse("master")
    master.open(f"{here}/edit")
    assert master.send(f"{here}/test", trigger="issues_events").status == 303
    assert "1 delivered and 0 failed in the last 24 hours" in master.open(f"{here}/edit").text
    log = master.links(f"{here}/hook_logs/")[0]
    delivery = master.open(log).text
    for words in ("X-Gitlab-Event", "thanks", "object_kind", "[REDACTED]"):
        assert words in delivery, words
    assert SECRET not in delivery
    assert master.send(f"{log}/redeliver").status == 303
    assert "Attempt 2" in master.open(log).text
    assert ">500<" in master.open(place).text
    assert [browse(name).open(log).status for name in ("developer", "stranger", "anonymous")] == [403, 404, 302]


def test_a_hook_that_fails_is_paused_and_resumed(browse, place, here, fail):
    master = browse("master")
    fail(5)
    assert "after 5 failures in a row" in master.open(f"{here}/edit").text
    fail(MAX_FAILURES)
    assert f"Deliveries stopped after {MAX_FAILURES} failures" in master.open(f"{here}/edit").text
    assert "Stopped" in master.open(place).text
    assert f"{here}/edit" in browse("root").open("/admin/hooks").text
    assert master.send(f"{here}/resume").status == 303
    assert "in a row" not in master.open(f"{here}/edit").text


def test_hooks_are_for_masters_of_their_project(hooks, browse, place, here):
    for name, status in (("developer", 403), ("stranger", 404), ("anonymous", 302)):
        browser = browse(name)
        assert [browser.open(path).status for path in (place, f"{here}/edit")] == [status] * 2
    other = make_project(hooks.cast.master, "other")["path_with_namespace"]
    assert browse("master").open(f"/{other}/hooks/{here.rpartition('/')[2]}/edit").status == 404


def test_secrets_of_a_hook_stay_with_their_server(hooks, browse, here):
    """The form shows the URL without its password, and another server gets neither the password nor the token."""
    master, api = browse("master"), f"/projects/{hooks.cast.private.id}/hooks/{here.rpartition('/')[2]}"
    private = hooks.url().replace("http://", "http://me:qxqpassword@")
    shown = private.replace("qxqpassword", "*****")
    master.open(f"{here}/edit")
    assert master.send(here, hook={"url": private, "token": SECRET}).status == 303
    page = master.open(f"{here}/edit").text
    assert (shown in page, "qxqpassword" in page) == (True, False)
    assert master.send(here, hook={"url": f"{shown}/more"}).status == 303
    assert hooks.cast.master.get(api).json["url"] == f"{private}/more"
    assert "Set. Leave empty to keep it." in master.open(f"{here}/edit").text
    assert master.send(here, hook={"url": "https://me:*****@other.example.org/"}).status == 422
    assert master.send(here, hook={"url": "https://other.example.org/"}).status == 303
    assert "Set. Leave empty" not in master.open(f"{here}/edit").text


def test_no_sample_of_a_disabled_feature_is_sent(hooks, browse, here):
    hooks.cast.owner.put(f"/projects/{hooks.cast.private.id}", issues_enabled=False)
    master = browse("master")
    master.open(f"{here}/edit")
    refused = master.send(f"{here}/test", trigger="issues_events")
    assert (refused.status, "Ensure issues are enabled in the project." in refused.text) == (422, True)
    assert hooks.requests() == []


def test_a_group_has_the_same_pages(hooks, browse):
    cast, place = hooks.cast, f"/groups/{hooks.cast.team.path}/-/hooks"
    owner = browse("owner")
    owner.open(place)
    assert owner.send(place, hook={"url": hooks.url(), "push_events": "true"}).status == 303
    [hook] = cast.owner.get(f"/groups/{cast.team.id}/hooks").json
    assert owner.open(f"{place}/{hook['id']}/edit").status == 200
    assert owner.send(f"{place}/{hook['id']}/delete").status == 303
    assert browse("master").open(place).status == 403


def test_administrators_have_the_same_pages_for_system_hooks(hooks, browse):
    cast, place = hooks.cast, "/admin/hooks"
    root = browse("root")
    assert "something happens on this instance" in root.open(place).text
    added = root.send(place, hook={"url": hooks.url(), "token": SECRET, "push_events": "true"})
    assert added.headers["Location"] == place
    [hook] = cast.root.get("/hooks").json
    assert (hook["push_events"], hook["merge_requests_events"]) == (True, False)
    here = f"{place}/{hook['id']}"
    assert SECRET not in root.open(f"{here}/edit").text
    for trigger in ("push_events", "repository_update_events"):
        assert root.send(f"{here}/test", trigger=trigger).status == 303
        assert b"project_create" in hooks.requests()[-1].body
    log = (root.open(f"{here}/edit"), root.links(f"{here}/hook_logs/")[0])[1]
    assert "[REDACTED]" in root.open(log).text
    assert browse("owner").open(place).status == 404
    assert root.send(f"{here}/delete").status == 303
    assert cast.root.get("/hooks").json == []
