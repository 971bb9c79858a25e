"""The pages of hooks: their forms, tests, pauses and deliveries."""

import pytest

from mujina.integrations.hooks.rules import MAX_FAILURES
from tests.adapters.receiver import answer
from tests.harness.browsers import browser_of

SECRET = "qxq-hook-secret"


@pytest.fixture
def answers():
    return [answer(b"thanks"), answer(b"broken", status="500 Oops")]


def test_a_hook_is_added_tested_paused_resumed_and_deleted(hooks, stage, database):
    cast, place = hooks.cast, f"/{hooks.cast.private.path}/hooks"
    master = browser_of(cast.master, database, cast.anonymous)
    page = master.open(f"/{cast.private.path}/settings/integrations").text
    assert "Webhooks call an address when something happens here." in page
    refused = master.send(place, hook={"url": "ftp://kept.example", "issues_events": "true"})
    assert (refused.status, "ftp://kept.example" in refused.text, 'id="hook_url-problem"' in refused.text) == (
        422,
        True,
        True,
    )
    added = master.send(
        place, hook={"url": hooks.url(), "token": SECRET, "issues_events": "true", "push_events": "false"}
    )
    assert added.status == 303, added.text[added.text.index("problems") :][:600]
    assert added.headers["Location"] == place
    assert "Never called" in master.open(place).text
    [hook] = cast.master.get(f"/projects/{cast.private.id}/hooks").json
    here = f"{place}/{hook['id']}"
    page = master.open(f"{here}/edit").text
    assert "Set. Leave empty to keep it." in page
    assert SECRET not in page
    assert master.send(here, hook={"url": hooks.url("/other"), "note_events": "true"}).status == 303
    assert master.send(f"{here}/test", trigger="issues_events").status == 303
    [request] = hooks.requests()
    assert request.headers["x-gitlab-token"] == SECRET
    page = master.open(f"{here}/edit").text
    assert "1 delivered and 0 failed in the last 24 hours" in page
    log = master.links(f"{here}/hook_logs/")[0]
    delivery = master.open(log).text
    for words in ("X-Gitlab-Event", "thanks", "object_kind", "[REDACTED]"):
        assert words in delivery, words
    assert SECRET not in delivery
    assert master.send(f"{log}/redeliver").status == 303
    assert "Attempt 2" in master.open(log).text
    assert "500" in master.open(place).text

    async def pause(failures):
        async with database.transaction() as tx:
            await tx.run(
                """INSERT INTO hook_queues (hook_id, failures, disabled_until) VALUES (:id, :failures, :until)
                   ON CONFLICT (hook_id) DO UPDATE SET failures = excluded.failures, disabled_until = excluded.disabled_until""",
                id=hook["id"], failures=failures, until="2999-01-01T00:00:00.000Z",
            )  # fmt: skip

    stage.loop.run_until_complete(pause(5))
    assert "after 5 failures in a row" in master.open(f"{here}/edit").text
    stage.loop.run_until_complete(pause(MAX_FAILURES))
    assert f"Deliveries stopped after {MAX_FAILURES} failures" in master.open(f"{here}/edit").text
    assert "Stopped" in master.open(place).text
    assert f"{here}/edit" in browser_of(cast.root, database, cast.anonymous).open("/admin/hooks").text
    assert master.send(f"{here}/resume").status == 303
    assert "in a row" not in master.open(f"{here}/edit").text
    for name, status in (("developer", 403), ("stranger", 404), ("anonymous", 302)):
        browser = browser_of(getattr(cast, name), database, cast.anonymous)
        assert [browser.open(path).status for path in (place, f"{here}/edit", log)] == [status] * 3
    other = cast.master.post("/projects", name="other").json["path_with_namespace"]
    assert master.open(f"/{other}/hooks/{hook['id']}/edit").status == 404
    master.open(f"{here}/edit")
    assert master.send(here, hook={"url": hooks.url(), "remove_token": "true"}).status == 303
    assert "Set. Leave empty" not in master.open(f"{here}/edit").text
    api = f"/projects/{cast.private.id}/hooks/{hook['id']}"
    check_that_secrets_stay_with_their_server(master, here, hooks.url(), lambda: cast.master.get(api).json["url"])
    assert master.send(f"{here}/delete").status == 303
    assert cast.master.get(f"/projects/{cast.private.id}/hooks").json == []


def check_that_secrets_stay_with_their_server(master, here, url, stored):
    """The form shows the URL without its password, and another server gets neither the password nor the token."""
    private = url.replace("http://", "http://me:qxqpassword@")
    shown = private.replace("qxqpassword", "*****")
    assert master.send(here, hook={"url": private, "token": SECRET}).status == 303
    page = master.open(f"{here}/edit").text
    assert (shown in page, "qxqpassword" in page) == (True, False)
    assert master.send(here, hook={"url": f"{shown}/more"}).status == 303
    assert stored() == f"{private}/more"
    assert "Set. Leave empty to keep it." in master.open(f"{here}/edit").text
    assert master.send(here, hook={"url": "https://me:*****@other.example.org/"}).status == 422
    assert master.send(here, hook={"url": "https://other.example.org/"}).status == 303
    assert "Set. Leave empty" not in master.open(f"{here}/edit").text


def test_a_group_has_the_same_pages(hooks, database):
    cast, place = hooks.cast, f"/groups/{hooks.cast.team.path}/-/hooks"
    owner = browser_of(cast.owner, database, cast.anonymous)
    owner.open(place)
    assert owner.send(place, hook={"url": hooks.url(), "push_events": "true"}).status == 303
    [hook] = cast.owner.get(f"/groups/{cast.team.id}/hooks").json
    assert owner.open(f"{place}/{hook['id']}/edit").status == 200
    assert owner.send(f"{place}/{hook['id']}/delete").status == 303
    assert browser_of(cast.master, database, cast.anonymous).open(place).status == 403


def test_administrators_have_the_same_pages_for_system_hooks(hooks, database):
    cast, place = hooks.cast, "/admin/hooks"
    root = browser_of(cast.root, database, cast.anonymous)
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
    assert browser_of(cast.owner, database, cast.anonymous).open(place).status == 404
    assert root.send(f"{here}/delete").status == 303
    assert cast.root.get("/hooks").json == []
