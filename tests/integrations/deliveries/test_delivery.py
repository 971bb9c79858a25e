"""How an event reaches the receiver of a hook: request, answer, log."""

import base64
import json
import socket
import time
from uuid import UUID

import pytest

from mujina.adapters.outbound.client import Timeouts
from mujina.app import build, build_services
from mujina.integrations.deliveries import logs, operations
from mujina.integrations.deliveries.queue import leases
from mujina.kernel import clock, secrets
from mujina.kernel.db.clock_recovery import recover_clock
from mujina.product import PRODUCT
from mujina.settings import Settings
from tests.adapters.receiver import answer
from tests.harness.browsers import browser_of
from tests.harness.cast import bind
from tests.harness.client import Client

TOKEN = "a-token-of-a-hook"


@pytest.fixture
def create(hooks):
    """Create an issue in the private project: an event."""

    def create(title="An issue"):
        made = hooks.cast.developer.post(f"/projects/{hooks.cast.private.id}/issues", title=title)
        assert made.status == 201, made
        return made.json["iid"]

    return create


def test_an_event_is_posted_with_the_headers_that_receivers_know(hooks, create):
    hooks.add(issues_events=True, token=TOKEN)
    create("A title 🦝 שלום")
    [request] = hooks.requests()
    assert (request.method, request.path) == ("POST", "/hook")
    headers = request.headers
    assert headers["content-type"] == "application/json"
    assert headers["user-agent"].startswith("Mujina/")
    assert headers["x-gitlab-event"] == headers["x-mujina-event"] == "Issue Hook"
    assert headers["x-gitlab-token"] == headers["x-mujina-token"] == TOKEN
    assert headers["idempotency-key"].startswith(headers["x-gitlab-event-uuid"])
    hook_uuid = headers["x-gitlab-webhook-uuid"]
    assert UUID(hook_uuid)
    create()
    assert [later.headers["x-gitlab-webhook-uuid"] for later in hooks.requests()] == [hook_uuid]
    assert json.loads(request.body)["object_attributes"]["title"] == "A title 🦝 שלום"


ECHO = b"th\xffanks\0 qx77 a-token-of-a-hook p@ssword p%40ssword bWU6cEBzc3dvcmQ="


@pytest.mark.parametrize("answers", [[answer(ECHO, Set_Cookie="session=1", X_Other="yes", X_Got=f"<{TOKEN}>")]])
def test_the_log_shows_request_and_answer_without_secrets(hooks, create):
    cast = hooks.cast
    url = hooks.url("/hook?x=1&api_Token=qx77&y=2").replace("//", "//me:p%40ssword@")
    made = cast.root.post(f"/projects/{cast.private.id}/hooks", url=url, token=TOKEN, issues_events=True)
    create()
    [request] = hooks.requests()
    assert base64.b64decode(request.headers["authorization"].removeprefix("Basic ")) == b"me:p@ssword"
    assert request.path == "/hook?x=1&api_Token=qx77&y=2"
    there = f"/projects/{cast.private.id}/hooks/{made.json['id']}/events"
    [entry] = cast.master.get(there).json
    assert entry["url"] == url.replace("p%40ssword", "*****").replace("qx77", "*****")
    assert entry["trigger"] == "issue_hooks"
    assert entry["request_headers"]["X-Gitlab-Token"] == entry["request_headers"]["X-Mujina-Token"] == "[REDACTED]"
    assert entry["request_headers"]["X-Gitlab-Event"] == "Issue Hook"
    assert entry["request_data"] == json.loads(request.body)
    assert entry["response_status"] == "200"
    assert entry["response_body"] == "thanks" + " [REDACTED]" * 5, "some receivers repeat it all"
    assert entry["response_headers"]["X-Got"] == "<[REDACTED]>"
    assert entry["response_headers"]["Set-Cookie"] == "[REDACTED]"
    assert entry["response_headers"]["X-Other"] == "yes"
    assert entry["internal_error_message"] is None
    assert cast.master.get(there, status="successful").headers["X-Total"] == "1"
    assert cast.master.get(there, status="200").headers["X-Total"] == "1"
    assert cast.master.get(there, status="client_failure").json == []
    assert cast.master.get(there, status="odd").json == {"error": "status does not have a valid value"}
    assert cast.developer.get(there).status == 403


@pytest.mark.parametrize(
    "answers", [[answer(status="500 Oops"), answer(status="302 Found", Location="/next"), answer()]]
)
def test_any_status_is_delivered_and_no_redirect_followed(hooks, create):
    path = hooks.add(issues_events=True)
    for _ in range(3):
        create()
    assert [request.path for request in hooks.requests()] == ["/hook"] * 3
    log = hooks.cast.master.get(f"{path}/events").json
    assert [entry["response_status"] for entry in log] == ["200", "302", "500"]
    assert hooks.cast.master.get(f"{path}/events", status="server_failure").headers["X-Total"] == "1"


@pytest.mark.parametrize("answers", [[answer(status="503 No")]])
def test_a_hook_that_keeps_failing_is_paused_and_its_deliveries_wait(hooks, create):
    path = hooks.add(issues_events=True)
    cast = hooks.cast
    for _ in range(6):
        create()
    assert len(hooks.requests()) == 4
    hook = cast.master.get(path).json
    assert hook["alert_status"] == "temporarily_disabled"
    assert clock.seconds_until(hook["disabled_until"]) <= 60
    cast.run("UPDATE hook_queues SET failures = 39, disabled_until = NULL, ready_at = '2000-01-01T00:00:00.000Z'")
    create()
    assert len(hooks.requests()) == 1
    hook = cast.master.get(path).json
    assert (hook["alert_status"], hook["disabled_until"]) == ("disabled", None)
    hooks.receiver._answers[:] = [answer()]
    assert cast.master.post(f"{path}/test/issues_events").json == {"message": "201 Created"}
    create()
    assert len(hooks.requests()) == 1 + 3, "the test, and what waited, in order"
    assert cast.master.get(path).json["alert_status"] == "executable"


@pytest.mark.parametrize("answers", [[answer(status="503 No")]])
def test_a_failure_of_a_call_that_had_begun_does_not_undo_that_the_hook_was_resumed(hooks, create):
    path, cast = hooks.add(issues_events=True), hooks.cast
    for _ in range(4):
        create()
    cast.run("UPDATE hook_queues SET failures = 39, disabled_until = NULL, ready_at = '2000-01-01T00:00:00.000Z'")

    async def fail_late(_reader, writer):
        async with cast.database.transaction() as tx:
            await leases.resume(tx, int(path.rpartition("/")[2]))
        writer.write(answer(status="503 No"))

    hooks.receiver._answers[:] = [fail_late, answer()]
    create("Last")
    assert cast.master.get(path).json["alert_status"] == "executable"
    create("After")
    titles = [json.loads(request.body)["object_attributes"]["title"] for request in hooks.requests()]
    assert titles[-2:] == ["Last", "After"]
    assert cast.value("SELECT q.failures FROM hook_queues q") == 0


@pytest.mark.parametrize("secret", ["url", "token"])
def test_a_hook_whose_secrets_cannot_be_decrypted_fails_like_one_that_cannot_be_reached(hooks, create, secret):
    path, cast = hooks.add(issues_events=True, token=TOKEN), hooks.cast
    lost = (
        "UPDATE hooks SET url = 'v1:00000000:AAAA'"
        if secret == "url"
        else "UPDATE hooks SET token = 'v1:00000000:AAAA'"
    )
    cast.run(lost)
    for failures in range(1, 5):
        create()
        hook = cast.master.get(path).json
        assert hook["alert_status"] == ("executable" if failures < 4 else "temporarily_disabled")
        entry = cast.master.get(f"{path}/events").json[0]
        assert (entry["response_status"], entry["url"]) == ("internal error", "")
        assert "cannot be decrypted" in entry["internal_error_message"]
        if failures < 4:
            cast.run("UPDATE hook_queues SET ready_at = '2000-01-01T00:00:00.000Z'")
    assert cast.master.get(f"{path}/events").headers["X-Total"] == "4"
    assert hooks.requests() == []
    assert hook["url"] == ("" if secret == "url" else hooks.url())
    assert cast.master.put(path, url=hooks.url(), token=TOKEN).json["url"] == hooks.url()
    assert cast.master.post(f"{path}/test/issues_events").status == 201
    assert len(hooks.requests()) == 1 + 4, "the test, and what waited"


def _hang(reader, _writer):
    return reader.read()


@pytest.mark.parametrize("answers", [[_hang]])
def test_a_receiver_that_hangs_is_given_up_and_called_again_later_with_the_same_key(hooks, create, monkeypatch):
    path = hooks.add(issues_events=True)
    with monkeypatch.context() as impatient:
        impatient.setattr(operations, "TIMEOUTS", Timeouts(30, 0.5, 30))
        create("One")
        create("Two")
    [first] = hooks.requests()
    [entry] = hooks.cast.master.get(f"{path}/events").json
    assert entry["response_status"] == "internal error"
    assert "did not answer in time" in entry["internal_error_message"]
    hooks.receiver._answers[:] = [answer()]
    hooks.cast.run("UPDATE hook_queues SET ready_at = '2000-01-01T00:00:00.000Z'")
    create("Three")
    requests = hooks.requests()
    assert requests[0].headers["idempotency-key"] == first.headers["idempotency-key"]
    titles = [json.loads(request.body)["object_attributes"]["title"] for request in requests]
    assert titles == ["One", "Two", "Three"]


def test_hooks_do_not_wait_for_a_clock_that_was_days_ahead_before_the_process_started(hooks, create, monkeypatch):
    real, right = time.time, clock.timestamp()
    with monkeypatch.context() as ahead:
        ahead.setattr(clock, "_latest", right)
        ahead.setattr(clock, "time", lambda: real() + 3 * 86_400)
        hooks.add(issues_events=True)
        create("Ahead")
        hooks.cast.run("UPDATE hook_builders SET leased_by = 'a process that is gone'")
    hooks.cast.root.loop.run_until_complete(recover_clock(hooks.cast.database, PRODUCT))
    create("Now")
    assert [body["object_attributes"]["title"] for body in hooks.bodies()] == ["Ahead", "Now"]


def test_the_payload_shows_the_state_at_the_time_of_the_event(hooks, create):
    hooks.add(issues_events=True)
    cast = hooks.cast
    cast.run("INSERT INTO hook_builders (id, leased_by, leased_until) VALUES (1, 'other', '9999-12-31')")
    there = f"/projects/{cast.private.id}/issues/{create('One')}"
    cast.developer.put(there, title="Two")
    cast.owner.delete(there)
    assert hooks.requests() == []
    cast.run("DELETE FROM hook_builders")
    create("Three")
    assert [body["object_attributes"]["title"] for body in hooks.bodies()] == ["One", "Two", "Three"]


def test_deliveries_that_a_hook_may_no_longer_get_are_dropped(hooks, create):
    path = hooks.add(issues_events=True)
    group = hooks.add(f"groups/{hooks.cast.team.id}", issues_events=True)
    cast = hooks.cast
    create("Before")
    assert len(hooks.requests()) == 2
    cast.run("UPDATE hook_queues SET ready_at = '2999-01-01T00:00:00.000Z'")
    create("Waits")
    cast.master.put(path, url=hooks.url(), issues_events=False)
    cast.owner.delete(group)
    cast.run("UPDATE hook_queues SET ready_at = '2000-01-01T00:00:00.000Z'")
    hooks.add(note_events=True)
    cast.reporter.post(f"/projects/{cast.private.id}/issues/{cast.open}/notes", body="Wakes the service")
    assert [body["object_kind"] for body in hooks.bodies()] == ["note"]


def test_deliveries_older_than_seven_days_are_deleted(hooks, create):
    path, cast = hooks.add(issues_events=True), hooks.cast

    def sweep():
        cast.transact(logs.sweep)
        return tuple(cast.value(f"SELECT count(*) FROM {table}") for table in ("hook_payloads", "hook_deliveries"))

    create("Delivered")
    cast.run("UPDATE hook_queues SET ready_at = '2999-01-01T00:00:00.000Z'")
    create("Waits")
    assert sweep() == (2, 1)
    cast.run("UPDATE hook_deliveries SET created_at = '2020-01-01T00:00:00.000Z'")
    assert sweep() == (2, 0)
    lapsed, delivered = cast.master.get(f"{path}/events").json
    assert (lapsed["response_status"], lapsed["internal_error_message"]) == ("internal error", logs.LAPSED)
    assert lapsed["request_data"]["object_attributes"]["title"] == "Waits"
    assert delivered["response_status"] == "200"
    cast.run(f"UPDATE hook_payloads SET body = replace(body, 'Waits', '{'x' * 600_000}')")
    assert cast.master.get(f"{path}/events").json[0]["request_data"] == {"oversize": True}
    for table in ("hook_logs", "hook_payloads"):
        cast.run(f"UPDATE {table} SET created_at = '2020-01-01T00:00:00.000Z'")
    assert sweep() == (0, 0)
    assert cast.master.get(f"{path}/events").json == []


def test_a_delivery_is_sent_once_more_to_the_present_url(hooks, create):
    path = hooks.add(issues_events=True, token=TOKEN)
    cast = hooks.cast
    create()
    [first] = hooks.requests()
    cast.master.put(path, url=hooks.url("/new"), token="")
    [entry] = cast.master.get(f"{path}/events").json
    again = cast.master.post(f"{path}/events/{entry['id']}/resend")
    assert (again.status, again.json) == (201, {"response_status": 200})
    [second] = hooks.requests()
    assert (second.path, second.body) == ("/new", first.body)
    assert "x-gitlab-token" not in second.headers
    assert second.headers["idempotency-key"] == first.headers["idempotency-key"]
    assert cast.master.post(f"{path}/events/999999/resend").status == 404
    assert cast.developer.post(f"{path}/events/{entry['id']}/resend").status == 403


@pytest.fixture
def tested(hooks):
    """The status and the message of a test of a hook."""

    def test(trigger, hook):
        made = hooks.cast.owner.post(f"{hook}/test/{trigger}")
        return made.status, made.json["message"] if made.status != 400 else made.json["error"]

    return test


def test_a_kind_of_which_there_is_no_sample_cannot_be_tested(hooks, tested):
    path, group = hooks.add(), hooks.add(f"groups/{hooks.cast.team.id}")
    assert tested("odd_events", path) == (400, "trigger does not have a valid value")
    assert tested("push_events", path) == (422, "Ensure the project has at least one commit.")
    assert tested("push_events", group) == (422, "Ensure the group has a project with commits.")
    assert tested("note_events", path) == (422, "Ensure the project has notes.")
    assert tested("merge_requests_events", path) == (422, "Ensure the project has merge requests.")
    assert tested("job_events", path) == (422, "Ensure the project has CI jobs.")
    assert tested("pipeline_events", path) == (422, "Ensure the project has CI pipelines.")
    assert tested("wiki_page_events", path) == (422, "Ensure the wiki is enabled and has pages.")
    assert hooks.requests() == []


def add_samples(cast):
    """One thing of each kind, in the project whose path is returned."""
    project = f"/projects/{cast.private.id}"
    action = {"action": "create", "file_path": "a.txt", "content": "x"}
    for branch in ("master", "topic"):
        made = cast.master.post(
            f"{project}/repository/commits", branch=branch, start_branch="master" if branch == "topic" else None,
            commit_message="Add", actions=[{**action, "file_path": branch}],
        )  # fmt: skip
    cast.developer.post(f"{project}/statuses/{made.json['id']}", state="success")
    cast.developer.post(f"{project}/merge_requests", title="x", source_branch="topic", target_branch="master")
    cast.reporter.post(f"{project}/issues/{cast.open}/notes", body="Hello")
    cast.developer.post(f"{project}/wikis", title="home", content="x")
    return project


def test_each_kind_can_be_tested_once_there_is_a_sample(hooks, tested):
    cast, path, group = hooks.cast, hooks.add(), hooks.add(f"groups/{hooks.cast.team.id}")
    add_samples(cast)
    kinds = {
        "push_events": "Push Hook", "tag_push_events": "Tag Push Hook", "issues_events": "Issue Hook",
        "confidential_issues_events": "Confidential Issue Hook", "note_events": "Note Hook",
        "confidential_note_events": "Confidential Note Hook", "merge_requests_events": "Merge Request Hook",
        "job_events": "Job Hook", "pipeline_events": "Pipeline Hook", "wiki_events": "Wiki Page Hook",
    }  # fmt: skip
    for hook in (path, group):
        for trigger, event in kinds.items():
            assert tested(trigger, hook) == (201, "201 Created"), trigger
            requests = hooks.requests()
            assert [request.headers["x-gitlab-event"] for request in requests] == [event]
            hooks.receiver.received[:] = requests
            [body] = hooks.bodies()
            assert not body.get("object_attributes", {}).get("confidential")
            assert event != "Wiki Page Hook" or body["object_attributes"]["action"] == "create"
    hooks.receiver._answers[:] = [answer(status="500 Oops")]
    assert tested("push_events", path) == (422, "The receiver answered with status 500.")


def test_nothing_of_a_disabled_feature_is_a_sample(hooks, tested):
    cast, path, group = hooks.cast, hooks.add(), hooks.add(f"groups/{hooks.cast.team.id}")
    project = add_samples(cast)
    features = {
        "issues_enabled": ["issues_events", "confidential_issues_events", "note_events"], "wiki_enabled": ["wiki_events"],
        "merge_requests_enabled": ["merge_requests_events"], "jobs_enabled": ["job_events", "pipeline_events"],
    }  # fmt: skip
    assert cast.owner.put(project, **dict.fromkeys(features, False)).status == 200
    assert tested("merge_requests_events", group) == (422, "Ensure the project has merge requests.")
    assert [tested(trigger, path)[1] for triggers in features.values() for trigger in triggers] == [
        "Ensure issues are enabled in the project.", "Ensure issues are enabled in the project.",
        "Ensure the project has notes.", "Ensure the wiki is enabled and has pages.",
        "Ensure merge requests are enabled in the project.", "Ensure pipelines are enabled in the project.",
        "Ensure pipelines are enabled in the project.",
    ]  # fmt: skip
    assert hooks.requests() == []


def test_reading_a_system_hook_delivers_a_sample(hooks):
    path = hooks.add("")
    shown = hooks.cast.root.get(path)
    assert (shown.status, shown.json["event_name"]) == (200, "project_create")
    [request] = hooks.requests()
    assert request.headers["x-gitlab-event"] == "System Hook"
    assert json.loads(request.body) == shown.json
    assert hooks.cast.root.get("/hooks/999999").json == {"message": "404 System hook Not Found"}
    browser = browser_of(hooks.cast.root, hooks.cast.database, hooks.cast.anonymous)
    for verb in ("GET", "HEAD"):
        assert browser.call(verb, path).status == 401, "any page can make a browser read an address"
    assert hooks.requests() == []
    token = secrets.masked_form_token(browser.cookie)
    assert browser.call("GET", path, {"X-CSRF-Token": token}).status == 200
    assert len(hooks.requests()) == 1


def test_many_hooks_are_called_at_the_same_time_and_each_in_order(hooks, create):
    for _ in range(20):
        hooks.add(issues_events=True)
    hooks.cast.run("INSERT INTO hook_builders (id, leased_by, leased_until) VALUES (1, 'other', '9999-12-31')")
    for number in range(5):
        create(str(number))
    hooks.cast.run("DELETE FROM hook_builders")
    create("5")
    by_hook = {}
    for request in hooks.requests():
        hook = request.headers["idempotency-key"].rpartition("-")[2]
        by_hook.setdefault(hook, []).append(json.loads(request.body)["object_attributes"]["title"])
    assert list(by_hook.values()) == [["0", "1", "2", "3", "4", "5"]] * 20


@pytest.mark.parametrize("address", ["127.0.0.2", "10.0.0.1", "169.254.169.254", "::1", "fd00::1", "::ffff:10.0.0.1"])
def test_a_name_is_judged_when_it_is_called(hooks, create, monkeypatch, address):
    """The name was accepted when the hook was saved; no connection is opened."""

    def resolve(_host, port, **_):
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        return [(family, socket.SOCK_STREAM, 6, "", (address, port))]

    cast = hooks.cast
    made = cast.master.post(f"/projects/{cast.private.id}/hooks", url="http://hooks.example.org/", issues_events=True)
    assert made.status == 201
    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    create()
    [entry] = cast.master.get(f"/projects/{cast.private.id}/hooks/{made.json['id']}/events").json
    assert entry["response_status"] == "internal error"
    assert "which may not be called" in entry["internal_error_message"]
    assert address not in entry["internal_error_message"]


def test_five_hooks_cost_one_statement_and_none_costs_none(stage, database, hooks):
    settings = Settings(data=stage.folder, external_url="http://mujina.test", password_kilobytes=64)
    cast = bind(stage.roster, Client(build(build_services(settings, database)), stage.loop), database)
    there = f"/projects/{cast.private.id}/issues"

    def statements():
        cast.developer.post(there, title="Prepared", labels="bug")
        before = database.statements
        assert cast.developer.post(there, title="An issue", labels="bug").status == 201
        return database.statements - before

    without = statements()
    for _ in range(5):
        hooks.add(issues_events=True)
    assert statements() == without + 1
    cast.root.post("/hooks", url="https://hooks.example.org/")
    assert statements() == without + 1
