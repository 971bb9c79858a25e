"""Payloads about notes and merge requests."""

import json

import pytest


@pytest.fixture
def request_path(hooks, repository):
    """An open merge request of the private project."""
    _, commit = repository
    commit("master", ("create", "a.txt", {}))
    commit("topic", ("create", "b.txt", {}), start_branch="master")
    here = f"/projects/{hooks.cast.private.id}/merge_requests"
    made = hooks.cast.developer.post(here, title="A request", source_branch="topic", target_branch="master")
    assert made.status == 201, made
    return f"{here}/{made.json['iid']}"


@pytest.fixture
def project(hooks):
    """The path of the private project, with a hook for notes and another for confidential ones."""
    assert hooks.add(note_events=True) != hooks.add(confidential_note_events=True)
    return f"/projects/{hooks.cast.private.id}"


def test_comments_are_told_with_what_they_are_on(hooks, request_path, project):
    cast = hooks.cast
    sha = cast.reporter.get(f"{project}/repository/commits/master").json["id"]
    snippet = cast.reporter.post(
        f"{project}/snippets", title="x", file_name="x", code="x", visibility="private"
    ).json["id"]  # fmt: skip
    for path in (
        f"{project}/issues/{cast.open}/notes", f"{request_path}/notes", f"{project}/snippets/{snippet}/notes",
    ):  # fmt: skip
        assert cast.reporter.post(path, body="Hello").status == 201
    cast.reporter.post(f"{project}/repository/commits/{sha}/comments", note="Hello")
    cast.reporter.post(f"{project}/repository/commits/{sha}/discussions", body="Hello")
    bodies = hooks.bodies()
    assert [body["object_attributes"]["noteable_type"] for body in bodies] == [
        "Issue", "MergeRequest", "Snippet", "Commit", "Commit",
    ]  # fmt: skip
    for body in bodies[3:]:
        assert body["object_attributes"]["commit_id"] == body["commit"]["id"] == sha
    assert [body["object_attributes"]["type"] for body in bodies[3:]] == [None, "DiscussionNote"]
    assert all(f"#note_{body['object_attributes']['id']}" in body["object_attributes"]["url"] for body in bodies)


def test_comments_on_lines_are_told_with_their_position(hooks, request_path, project):
    cast = hooks.cast
    sha = cast.reporter.get(f"{project}/repository/commits/master").json["id"]
    here = {"note": "A line", "path": "a.txt", "line": 1, "line_type": "new"}
    assert cast.reporter.post(f"{project}/repository/commits/{sha}/comments", **here).status == 201
    [body] = hooks.bodies()
    attributes = body["object_attributes"]
    assert (attributes["type"], attributes["position"]["new_line"]) == ("DiffNote", 1)
    assert (attributes["position"]["head_sha"], attributes["position"]["old_line"]) == (sha, None)
    assert attributes["line_code"].endswith("_1")
    version = cast.reporter.get(f"{request_path}/versions").json[0]
    position = {
        "base_sha": version["base_commit_sha"], "start_sha": version["start_commit_sha"],
        "head_sha": version["head_commit_sha"], "position_type": "text", "new_path": "b.txt", "old_path": "b.txt",
        "new_line": 1,
    }  # fmt: skip
    assert cast.reporter.post(f"{request_path}/discussions", body="A line", position=position).status == 201
    [body] = hooks.bodies()
    attributes = body["object_attributes"]
    assert (attributes["type"], attributes["position"]["new_line"]) == ("DiffNote", 1)
    assert attributes["line_code"].endswith("_1")


def test_confidential_notes_are_told_apart_and_system_notes_not_at_all(hooks, project):
    cast = hooks.cast
    cast.reporter.post(f"{project}/issues/{cast.confidential}/notes", body="Secret")
    [request] = hooks.requests()
    assert request.headers["x-gitlab-event"] == "Confidential Note Hook"
    cast.reporter.put(f"{project}/issues/{cast.open}", title="System notes are not told")
    assert hooks.requests() == []


@pytest.fixture
def actions(hooks, request_path):
    """What a hook of merge requests was told since the last call: the actions and the bodies."""
    hooks.add(merge_requests_events=True)
    return lambda: [(body["object_attributes"]["action"], body) for body in hooks.bodies()]


def test_each_edit_of_a_merge_request_is_told_with_its_differences(hooks, request_path, actions):
    cast = hooks.cast
    cast.developer.put(request_path, title="WIP: Another", assignee_id=cast.developer.id, labels="bug")
    [(action, body)] = actions()
    assert (action, body["changes"]["title"]["previous"]) == ("update", "A request")
    assert body["changes"]["assignee"]["previous"] is None
    assert body["assignee"]["username"] == "developer"
    assert body["object_attributes"]["work_in_progress"] is True
    first, second = sorted([cast.developer.id, cast.master.id])
    cast.developer.put(request_path, assignee_ids=[first])
    hooks.requests()
    cast.developer.put(request_path, assignee_ids=[first, second])
    [(_, body)] = actions()
    assert body["changes"].keys() == {"updated_at"}, "the first is the same"
    cast.developer.post(f"{request_path}/add_spent_time", duration="1h")
    [(_, body)] = actions()
    assert body["changes"].keys() == {"total_time_spent", "updated_at"}


def test_closing_reopening_and_new_commits_of_a_merge_request_are_told(hooks, request_path, repository, actions):
    cast, (_, commit) = hooks.cast, repository
    cast.developer.put(request_path, state_event="close")
    cast.developer.put(request_path, state_event="reopen", title="Another")
    assert [action for action, _ in actions()] == ["close", "reopen", "update"]
    head = commit("topic", ("create", "c.txt", {}))
    [(action, body)] = actions()
    assert (action, body["object_attributes"]["last_commit"]["id"]) == ("update", head)
    assert len(body["object_attributes"]["oldrev"]) == 40


def test_approvals_are_told_once_they_are_complete(hooks, request_path, actions):
    cast, project = hooks.cast, f"/projects/{hooks.cast.private.id}"
    assert cast.master.post(f"{project}/approvals", approvals_before_merge=2).status in {200, 201}
    for person in (cast.master, cast.owner):
        assert person.post(f"{request_path}/approve").status == 201
    assert [action for action, _ in actions()] == ["approved"]
    assert cast.owner.post(f"{request_path}/unapprove").status == 201
    assert cast.owner.post(f"{request_path}/approve").status == 201
    assert [action for action, _ in actions()] == ["unapproved", "approved"]


def test_a_merge_is_told_to_the_project_and_the_instance_alike(hooks, request_path, actions):
    cast = hooks.cast
    hooks.add("", merge_requests_events=True, repository_update_events=False)
    merged = cast.master.put(f"{request_path}/merge")
    assert merged.status == 200, merged
    requests = hooks.requests()
    assert sorted(each.headers["x-gitlab-event"] for each in requests) == ["Merge Request Hook", "System Hook"]
    hooks.receiver.received[:] = requests
    (action, body), (_, of_instance) = actions()
    assert body == of_instance
    assert (action, body["object_attributes"]["state"]) == ("merge", "merged")
    assert body["changes"].keys() == {"state", "updated_at", "merge_commit_sha"}
    sha = body["object_attributes"]["merge_commit_sha"]
    assert body["changes"]["merge_commit_sha"] == {"previous": None, "current": sha}
    assert body["object_attributes"]["source"]["id"] == cast.private.id


def test_a_private_fork_is_not_shown(hooks, repository):
    _, commit = repository
    cast, here = hooks.cast, f"/projects/{hooks.cast.private.id}"
    commit("master", ("create", "a.txt", {}))
    fork = cast.developer.post(f"{here}/fork").json
    action = {"action": "create", "file_path": "b.txt", "content": "x"}
    made = cast.developer.post(
        f"/projects/{fork['id']}/repository/commits", branch="fix", start_branch="master", commit_message="Fix",
        actions=[action],
    )  # fmt: skip
    assert made.status == 201, made
    hooks.add(merge_requests_events=True)
    branches = {"source_branch": "fix", "target_branch": "master"}
    opened = cast.developer.post(
        f"/projects/{fork['id']}/merge_requests", title="Fix", target_project_id=cast.private.id, **branches
    )
    assert opened.status == 201, opened
    [body] = hooks.bodies()
    attributes = body["object_attributes"]
    assert (attributes["source"], attributes["source_project_id"], attributes["source_branch"]) == (
        None,
        fork["id"],
        "fix",
    )
    assert attributes["last_commit"]["id"] == made.json["id"]
    assert fork["path_with_namespace"] not in json.dumps(body)
