"""A server that is started again with a lower edition: what it no longer offers leaves no trace, and comes back."""

import json
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from tests.harness.running import TOKEN, RunningServer


@pytest.fixture
def server(tmp_path, migrated_url):
    running = RunningServer(tmp_path / "data", migrated_url)
    running.start()
    yield running
    running.kill()


@pytest.fixture
def ask(server):
    """The status and the body of an answer to root."""

    def ask(verb, path, /, **body):
        headers = {"Private-Token": TOKEN, "Content-Type": "application/json"}
        data = json.dumps(body).encode() if body else None
        request = Request(f"{server.url}/api/v4{path}", data, headers, method=verb)
        try:
            with urlopen(request, timeout=60) as answer:
                return answer.status, json.loads(answer.read() or b"null")
        except HTTPError as refused:
            return refused.code, json.loads(refused.read())

    return ask


def test_epics_leave_no_trace_in_a_lower_edition(server, ask, monkeypatch):
    def started_again(edition):
        server.stop()
        monkeypatch.setenv("MUJINA_EDITION", edition)
        server.start()

    group = ask("POST", "/groups", name="Group", path="group")[1]["id"]
    project = ask("POST", "/projects", name="project", namespace_id=group)[1]["id"]
    issue = ask("POST", f"/projects/{project}/issues", title="Issue", weight=4)[1]
    ask("POST", f"/groups/{group}/epics", title="Epic", description=f"see project#{issue['iid']}")
    ask("POST", f"/groups/{group}/epics/1/issues/{issue['id']}")
    ask("POST", f"/groups/{group}/epics/1/todo")
    notes = f"/projects/{project}/issues/{issue['iid']}/notes"
    assert [note["body"] for note in ask("GET", notes)[1]] == ["added to epic group&1", "mentioned in epic group&1"]

    started_again("core")
    assert ask("GET", "/license")[1]["plan"] == "core"
    [entry] = ask("GET", "/audit_events?entity_type=Instance")[1]
    details = {name: entry["details"][name] for name in ("change", "from", "to", "author_username")}
    assert details == {"change": "edition", "from": "ultimate", "to": "core", "author_username": "system"}
    assert ask("GET", f"/groups/{group}/epics") == (403, {"message": "403 Forbidden"})
    assert ask("GET", f"/groups/{group}/-/epics/1/notes")[0] == 403
    assert ask("GET", "/todos") == (200, [])
    assert ask("GET", notes) == (200, [])
    assert "weight" not in ask("GET", f"/projects/{project}/issues/{issue['iid']}")[1]
    assert ask("GET", f"/projects/{project}/push_rule") == (404, {"message": "404 Not Found"})
    ask("POST", notes, body="not to &1")

    started_again("ultimate")
    assert [todo["target"]["title"] for todo in ask("GET", "/todos")[1]] == ["Epic"]
    assert len(ask("GET", notes)[1]) == 3
    assert ask("GET", f"/groups/{group}/epics/1/issues")[1][0]["weight"] == 4
    assert ask("GET", f"/groups/{group}/-/epics/1/notes?sort=asc")[1][0]["body"] == "added issue group/project#1"
