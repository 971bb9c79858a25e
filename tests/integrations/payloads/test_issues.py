"""Payloads about issues."""

import pytest

from tests.harness.client import Raw


@pytest.fixture
def issues(hooks):
    return f"/projects/{hooks.cast.private.id}/issues"


def told(bodies):
    return [(body["object_attributes"]["action"], body["changes"]) for body in bodies]


@pytest.fixture
def here(hooks, issues):
    """An issue whose creation was told to a hook."""
    hooks.add(issues_events=True)
    made = hooks.cast.developer.post(issues, title="One", labels="bug", assignee_ids=[hooks.cast.guest.id])
    hooks.requests()
    return f"{issues}/{made.json['iid']}"


def test_a_new_issue_is_told_with_its_labels_and_assignees(hooks, issues):
    hooks.add(issues_events=True)
    cast = hooks.cast
    made = cast.developer.post(issues, title="One", labels="bug", assignee_ids=[cast.guest.id])
    [opened] = hooks.bodies()
    attributes = opened["object_attributes"]
    assert (attributes["action"], attributes["title"], attributes["assignee_ids"]) == ("open", "One", [cast.guest.id])
    assert attributes["url"].endswith(f"/issues/{made.json['iid']}")
    assert opened["user"]["username"] == "developer"
    assert [label["title"] for label in opened["labels"]] == ["bug"]
    assert [person["username"] for person in opened["assignees"]] == ["guest"]
    assert opened["changes"]["labels"]["previous"] == []
    assert opened["changes"].keys() == {"labels", "assignees"}


def test_an_edit_is_told_with_its_differences(hooks, here):
    cast = hooks.cast
    cast.reporter.put(here, title="Two")
    [(action, changes)] = told(hooks.bodies())
    assert (action, changes["title"]) == ("update", {"previous": "One", "current": "Two"})
    assert changes["updated_by_id"] == {"previous": None, "current": cast.reporter.id}
    assert changes.keys() == {"title", "updated_at", "updated_by_id", "last_edited_at", "last_edited_by_id"}
    assert changes["last_edited_by_id"] == {"previous": None, "current": cast.reporter.id}
    assert (changes["last_edited_at"]["previous"], len(changes["last_edited_at"]["current"])) == (None, 23)
    cast.reporter.put(here, title="Two")
    assert hooks.bodies() == []


def test_closing_and_reopening_are_told_apart_from_an_edit(hooks, here):
    cast = hooks.cast
    cast.reporter.put(here, title="Two")
    hooks.requests()
    cast.reporter.put(here, state_event="close", title="Three")
    (close, closing), (update, rest) = told(hooks.bodies())
    assert (close, update) == ("close", "update")
    assert closing["state"] == {"previous": "opened", "current": "closed"}
    assert closing.keys() == {"state", "closed_at", "updated_at"}
    assert rest.keys() == {"title", "updated_at", "last_edited_at"}
    cast.reporter.put(here, state_event="close")
    assert hooks.bodies() == []
    cast.reporter.put(here, state_event="reopen")
    [(action, changes)] = told(hooks.bodies())
    assert action == "reopen"
    assert changes["closed_at"]["current"] is None


def test_labels_assignees_dates_and_time_are_told_with_their_differences(hooks, here):
    cast = hooks.cast
    cast.reporter.put(here, labels="ui", assignee_ids=[], weight=3, due_date="2030-01-02")
    [body] = hooks.bodies()
    assert [[label["title"] for label in body["changes"]["labels"][side]] for side in ("previous", "current")] == [
        ["bug"], ["ui"],
    ]  # fmt: skip
    assert body["changes"]["due_date"] == {"previous": None, "current": "2030-01-02"}
    assert "assignees" not in body
    assert body["changes"]["assignees"]["current"] == []
    cast.reporter.put(here, weight=4)
    [(_, changes)] = told(hooks.bodies())
    assert changes.keys() == {"updated_at"}
    cast.reporter.post(f"{here}/add_spent_time", duration="1h")
    [(_, changes)] = told(hooks.bodies())
    assert changes["total_time_spent"] == {"previous": 0, "current": 3600}


def test_a_hook_gets_only_the_kinds_it_asks_for_of_its_own_projects(hooks, issues):
    hooks.add(push_events=True)
    hooks.add(f"groups/{hooks.cast.guild.id}", issues_events=True)
    hooks.cast.developer.post(issues, title="One")
    assert hooks.bodies() == []
    hooks.add(f"groups/{hooks.cast.company.id}", issues_events=True)
    hooks.cast.developer.post(issues, title="Two")
    assert [body["object_attributes"]["title"] for body in hooks.bodies()] == ["Two"]


def test_confidential_issues_reach_only_hooks_that_ask_for_them(hooks, issues):
    hooks.add(issues_events=True)
    hooks.add(confidential_issues_events=True)
    cast = hooks.cast
    here = f"{issues}/{cast.developer.post(issues, title='One', confidential=True, description='secret').json['iid']}"
    [request] = hooks.requests()
    assert request.headers["x-gitlab-event"] == "Confidential Issue Hook"
    hooks.add(issues_events=True, confidential_issues_events=True)
    cast.developer.put(here, confidential=False, description="public")
    requests = hooks.requests()
    assert {request.headers["x-gitlab-event"] for request in requests} == {"Issue Hook"}
    assert sorted(b"secret" in request.body for request in requests) == [False, True]
    cast.developer.put(here, confidential=True)
    assert {request.headers["x-gitlab-event"] for request in hooks.requests()} == {"Confidential Issue Hook"}


def test_a_moved_issue_is_closed_here_and_opened_there(hooks, issues):
    hooks.add(issues_events=True)
    hooks.add(f"projects/{hooks.cast.public.id}", issues_events=True)
    cast = hooks.cast
    there = f"{issues}/{cast.open}/move"
    assert cast.owner.post(there, to_project_id=cast.public.id).status == 201
    bodies = sorted(hooks.bodies(), key=lambda body: body["object_attributes"]["action"])
    assert [(body["project"]["id"], body["object_attributes"]["action"]) for body in bodies] == [
        (cast.private.id, "close"), (cast.public.id, "open"),
    ]  # fmt: skip
    closing, new_id = bodies[0]["changes"], bodies[1]["object_attributes"]["id"]
    assert closing.keys() == {"state", "closed_at", "updated_at", "updated_by_id", "moved_to_id"}
    assert closing["moved_to_id"] == {"previous": None, "current": new_id}


def test_a_request_that_carries_a_delivery_is_not_delivered_to_its_hook_again(hooks, issues, monkeypatch):
    path = hooks.add(issues_events=True)
    hooks.cast.developer.post(issues, title="First")
    [request] = hooks.requests()
    header = request.headers["x-mujina-delivery"]
    assert hooks.cast.master.get(f"{path}/events").json[0]["request_headers"]["X-Mujina-Delivery"] == "[REDACTED]"
    looped = hooks.cast.developer.post(issues, Raw(headers={"X-Mujina-Delivery": header}), title="Loop")
    assert looped.status == 201
    assert hooks.bodies() == []
    with monkeypatch.context() as later:
        later.setattr("mujina.kernel.http.dispatcher.VISITED_SECONDS", -1)
        hooks.cast.developer.post(issues, Raw(headers={"X-Mujina-Delivery": header}), title="Much later")
    assert len(hooks.bodies()) == 1
    # Other hooks get it: a receiver cannot hide from them what it does. Each of them is left out behind it.
    for number in (2, 3):
        other = hooks.add(f"groups/{hooks.cast.team.id}", issues_events=True)
        hooks.cast.developer.post(issues, Raw(headers={"X-Mujina-Delivery": header}), title=f"Loop {number}")
        [request] = hooks.requests()
        header = request.headers["x-mujina-delivery"]
        assert header.split(".")[2].endswith(f"-{other.rpartition('/')[2]}")
    refused = hooks.cast.developer.post(issues, Raw(headers={"X-Mujina-Delivery": header}), title="Too far")
    assert refused.status == 400
    assert "too many hooks" in refused.json["message"]
    assert hooks.cast.developer.get(issues, Raw(headers={"X-Mujina-Delivery": header})).status == 200
    assert hooks.bodies() == []
    for hook in hooks.cast.owner.get(f"/groups/{hooks.cast.team.id}/hooks").json:
        hooks.cast.owner.delete(f"/groups/{hooks.cast.team.id}/hooks/{hook['id']}")
    for forged in (
        "",
        "x",
        f"x.{header.partition('.')[2]}",
        header[:-1],
        "tøken.é",
        "1.1.1",
        f"{header.rpartition('.')[0]}.",
    ):
        sent = Raw(headers={"X-Mujina-Delivery": forged.encode().decode("latin-1")})
        assert hooks.cast.developer.post(issues, sent, title="Forged").status == 201
        assert len(hooks.bodies()) == 1, forged
