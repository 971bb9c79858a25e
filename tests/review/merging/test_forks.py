"""Requests across forks: the rules of the target, its LFS objects, and the end of the fork."""

import pytest


@pytest.fixture
def asked(cast, code, fork):
    """The path of a request from the fork, with the number of commits that it has."""
    fork.commit("topic", person=cast.stranger, message="Forked", forked="x")
    return f"{code.requests}/{fork.open(cast.stranger, target_project_id=code.id).json['iid']}"


def test_commits_of_a_fork_obey_the_push_rule_of_the_target(cast, code, asked):
    cast.owner.post(f"{code.path}/push_rule", commit_message_regex="JIRA-|work")
    refused = cast.master.put(f"{asked}/merge", merge_commit_message="JIRA-1")
    assert (refused.status, "JIRA-" in refused.json["message"]) == (406, True)
    assert cast.master.get(asked).json["merge_error"] == refused.json["message"]
    assert code.tip() == code.first
    cast.owner.put(f"{code.path}/push_rule", commit_message_regex="JIRA-|work|Forked")
    assert cast.master.put(f"{asked}/merge", merge_commit_message="JIRA-1").json["state"] == "merged"


def test_a_removed_fork_closes_its_requests(cast, code, fork, asked):
    fork.commit("own", person=cast.stranger, start_branch="master", own="x")
    inside = fork.open(cast.stranger, source_branch="own").json
    assert inside["project_id"] == fork.id
    assert cast.stranger.delete(fork.path).status < 300
    shown = cast.anonymous.get(asked).json
    assert (shown["state"], shown["closed_by"]["id"]) == ("closed", cast.stranger.id)
    assert shown["source_project_id"] is None
    assert "closed" in [note["body"] for note in cast.developer.get(f"{asked}/notes").json]
    reopened = cast.developer.put(asked, state_event="reopen")
    assert (reopened.status, reopened.json) == (422, {"error": ["Source project is not a fork of the target project"]})
    before = shown["force_remove_source_branch"]
    edited = cast.developer.put(asked, target_branch="topic", remove_source_branch=not before, title="Kept").json
    assert (edited["title"], edited["target_branch"], edited["force_remove_source_branch"]) == (
        "Kept",
        "master",
        before,
    )


def test_an_unlinked_fork_closes_its_requests(cast, code, fork, asked):
    back = code.open(cast.owner, target_project_id=fork.id).json
    assert cast.root.delete(f"{fork.path}/fork").status == 204
    shown = cast.anonymous.get(asked).json
    assert (shown["state"], shown["closed_by"]["id"]) == ("closed", cast.root.id)
    assert shown["source_project_id"] == fork.id
    assert cast.stranger.get(f"{fork.requests}/{back['iid']}").json["state"] == "opened"
    reopened = cast.stranger.put(asked, state_event="reopen")
    assert (reopened.status, reopened.json) == (422, {"error": ["Source project is not a fork of the target project"]})


@pytest.mark.parametrize(
    ("person", "stays"), [("master", True), ("stranger", False)], ids=["by the merger", "by the author"]
)
def test_a_branch_of_a_fork_is_removed_by_those_who_may(cast, code, fork, asked, person, stays):
    """The merger has no right in the fork; the author of the request owns it."""
    wish = {"should_remove_source_branch": True} if person == "master" else {}
    if person == "stranger":
        assert cast.stranger.put(asked, remove_source_branch=True).status == 200
    assert cast.master.put(f"{asked}/merge", **wish).json["state"] == "merged"
    assert (cast.stranger.get(f"{fork.path}/repository/branches/topic").status == 200) == stays


def test_the_requested_branch_does_not_replace_a_default_branch(cast, code):
    cast.owner.post(f"{code.path}/repository/branches", branch="stable", ref="master")
    head = code.commit(more="x")
    cast.owner.delete(f"{code.path}/protected_branches/master")
    made = code.open(cast.owner, source_branch="master", target_branch="stable", remove_source_branch=True).json
    merged = cast.owner.put(f"{code.requests}/{made['iid']}/merge", should_remove_source_branch=True).json
    assert (merged["state"], code.tip()) == ("merged", head)


def test_a_deleted_request_cannot_be_fetched(cast, code, stage):
    path = f"{code.requests}/{code.open().json['iid']}"
    cast.reporter.post(f"{path}/award_emoji", name="thumbsup")
    cast.reporter.post(f"{path}/todo")
    [head] = (stage.folder / "repositories").rglob("refs/merge-requests/1/head")
    assert cast.owner.delete(path).status == 204
    assert not head.exists()
    assert cast.reporter.get("/todos").json == []
    assert code.tip("topic") == code.topic
    assert code.open().json["iid"] == 2
