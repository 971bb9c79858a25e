from dataclasses import replace

import pytest

from mujina.app import build, build_services, runner
from mujina.settings import Settings


@pytest.fixture
def request_path(code):
    return f"{code.requests}/{code.open().json['iid']}"


def parents(cast, code, sha):
    return cast.owner.get(f"{code.path}/repository/commits/{sha}").json["parent_ids"]


def test_a_merge_commit_joins_target_and_head(cast, code, request_path):
    elsewhere = code.commit(elsewhere="x")
    merged = cast.master.put(f"{request_path}/merge")
    assert merged.status == 200, merged
    shown = merged.json
    assert (shown["state"], shown["merged_by"]["id"], shown["merge_user"]["id"]) == ("merged", *[cast.master.id] * 2)
    assert shown["merged_at"]
    tip = code.tip()
    assert shown["merge_commit_sha"] == tip
    assert parents(cast, code, tip) == [elsewhere, code.topic]
    commit = cast.owner.get(f"{code.path}/repository/commits/{tip}").json
    path = code.project["path_with_namespace"]
    assert commit["message"] == f"Merge branch 'topic' into 'master'\n\nMerge me\n\nSee merge request {path}!1"
    assert commit["author_name"] == commit["committer_name"] == cast.master.get("/user").json["name"]
    files = {entry["path"] for entry in cast.owner.get(f"{code.path}/repository/tree").json}
    assert files == {"README", "topic", "elsewhere"}
    assert [kind for kind in cast.events() if kind.startswith("merge_request")] == [
        "merge_request.created", "merge_request.merged",
    ]  # fmt: skip
    assert cast.master.put(f"{request_path}/merge").json == {"message": "405 Method Not Allowed"}
    assert code.tip("topic") == code.topic


def test_the_status_is_computed_when_a_request_is_read(cast, code, request_path):
    assert cast.anonymous.get(code.requests).json[0]["merge_status"] == "unchecked"
    shown = cast.anonymous.get(request_path).json
    assert (shown["merge_status"], shown["detailed_merge_status"]) == ("can_be_merged", "mergeable")
    assert cast.anonymous.get(code.requests).json[0]["merge_status"] == "can_be_merged"
    code.commit(topic="another text\n")
    shown = cast.anonymous.get(request_path).json
    assert (shown["merge_status"], shown["detailed_merge_status"]) == ("cannot_be_merged", "conflict")
    assert shown["has_conflicts"]
    refused = cast.master.put(f"{request_path}/merge")
    assert (refused.status, refused.json) == (406, {"message": "Branch cannot be merged"})


def test_refusals_come_in_their_order(cast, code, request_path):
    merge = f"{request_path}/merge"
    cast.developer.put(request_path, title="WIP: later")
    assert cast.anonymous.put(merge).status == 401
    assert cast.master.put(f"{code.requests}/99/merge").json == {"message": "404 Merge Request Not Found"}
    for person in (cast.reporter, cast.guest, cast.stranger, cast.developer):
        # The default branch is protected: developers may not merge into it.
        assert person.put(merge).json == {"message": "401 Unauthorized"}
    assert cast.master.put(merge, sha="0" * 40).status == 405
    cast.developer.put(request_path, title="Now")
    stale = cast.master.put(merge, sha="0" * 40)
    assert stale.status == 409
    assert stale.json == {"message": f"SHA does not match HEAD of source branch: {code.topic}"}
    cast.developer.put(request_path, state_event="close")
    assert cast.master.put(merge).status == 405
    broken = f"{code.requests}/{code.open(target_branch='nowhere').json['iid']}/merge"
    assert cast.developer.put(broken).status == 405
    assert code.tip() == code.first


def test_a_pipeline_that_must_succeed_is_waited_for(cast, code, request_path):
    cast.owner.put(code.path, only_allow_merge_if_pipeline_succeeds=True)

    def gate(state, sha=code.topic):
        """What the request says and what merging a wrong commit answers: 409 if the pipeline does not refuse it."""
        assert cast.developer.post(f"{code.path}/statuses/{sha}", state=state, ref="topic").status == 201
        refused = cast.master.put(f"{request_path}/merge", sha="0" * 40).status
        return cast.master.get(request_path).json["detailed_merge_status"], refused

    # Without any pipeline of the branch there is nothing to wait for.
    assert cast.master.put(f"{request_path}/merge", sha="0" * 40).status == 409
    assert [gate(state) for state in ("pending", "running", "failed", "canceled")] == [
        ("ci_still_running", 405), ("ci_still_running", 405), ("ci_must_pass", 405), ("ci_must_pass", 405),
    ]  # fmt: skip
    assert [gate("skipped"), gate("success")] == [("mergeable", 409)] * 2
    head = code.commit("topic", newer="x")
    # The success of an older commit says nothing about this one.
    assert cast.master.put(f"{request_path}/merge").status == 405
    assert cast.master.get(request_path).json["detailed_merge_status"] == "ci_must_pass"
    assert gate("failed", head) == ("ci_must_pass", 405)
    # A late report about an older commit does not hide the pipeline of the head.
    assert [gate("success", head), gate("failed")] == [("mergeable", 409)] * 2
    assert code.tip() == code.first
    assert cast.master.put(f"{request_path}/merge", merge_when_pipeline_succeeds=True).json["state"] == "merged"


def test_those_who_may_merge_need_not_be_allowed_to_push(cast, code, request_path):
    assert cast.developer.get(request_path).json["user"] == {"can_merge": False}
    branch = f"{code.path}/repository/branches/master"
    cast.owner.put(f"{branch}/protect", developers_can_push=False, developers_can_merge=True)
    assert cast.developer.get(request_path).json["user"] == {"can_merge": True}
    assert cast.developer.put(f"{request_path}/merge", sha=code.topic).json["state"] == "merged"


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_a_push_rule_refuses_the_message(cast, code, request_path):
    cast.owner.post(f"{code.path}/push_rule", commit_message_regex="JIRA-")
    refused = cast.master.put(f"{request_path}/merge")
    assert refused.status == 406
    assert "JIRA-" in refused.json["message"]
    shown = cast.master.get(request_path).json
    assert (shown["state"], shown["merge_error"]) == ("opened", refused.json["message"])
    assert code.tip() == code.first
    assert cast.master.put(f"{request_path}/merge", merge_commit_message="JIRA-1").json["state"] == "merged"


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_squashing_makes_one_commit_of_several(cast, code):
    code.commit("topic", message="Second", second="x")
    path = f"{code.requests}/{code.open(squash=True, title='All of it').json['iid']}"
    shown = cast.master.put(f"{path}/merge").json
    squashed = shown["squash_commit_sha"]
    assert parents(cast, code, shown["merge_commit_sha"]) == [code.first, squashed]
    assert parents(cast, code, squashed) == [code.first]
    commit = cast.owner.get(f"{code.path}/repository/commits/{squashed}").json
    assert commit["message"] == "All of it"
    assert commit["author_name"] == cast.developer.get("/user").json["name"]
    assert commit["committer_name"] == cast.master.get("/user").json["name"]
    assert shown["state"] == "merged"


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_one_commit_is_not_squashed_and_a_blank_message_is_none(cast, code, request_path):
    shown = cast.master.put(f"{request_path}/merge", squash=True, merge_commit_message=" \n").json
    assert (shown["state"], shown["squash_commit_sha"]) == ("merged", None)
    tip = cast.owner.get(f"{code.path}/repository/commits/{code.tip()}").json
    assert tip["title"] == "Merge branch 'topic' into 'master'"


@pytest.mark.parametrize(
    ("forced", "params", "stays"),
    [
        (False, {}, True),
        (False, {"should_remove_source_branch": True}, False),
        (True, {}, False),
        (True, {"should_remove_source_branch": False}, True),
    ],
)
def test_the_source_branch_is_removed_if_wanted(cast, code, forced, params, stays):
    path = f"{code.requests}/{code.open(remove_source_branch=forced).json['iid']}"
    assert cast.master.put(f"{path}/merge", **params).json["state"] == "merged"
    names = [branch["name"] for branch in cast.owner.get(f"{code.path}/repository/branches").json]
    assert ("topic" in names) == stays
    assert cast.anonymous.get(path).json["state"] == "merged"


def test_a_source_branch_that_moved_or_belongs_to_others_stays(cast, code, fork, stage, database):
    fork.commit("topic", person=cast.stranger, forked="x")
    made = fork.open(cast.stranger, target_project_id=code.id).json
    # The merger may not push to the fork.
    assert cast.master.put(f"{code.requests}/{made['iid']}/merge", should_remove_source_branch=True).status == 200
    assert fork.tip("topic") == made["sha"]
    made = fork.open(cast.stranger, source_branch="master", target_project_id=code.id, remove_source_branch=True).json
    fork.commit("master", person=cast.stranger, again="x")
    # It is the default branch of the fork.
    assert cast.master.put(f"{code.requests}/{made['iid']}/merge").json["state"] == "merged"
    assert fork.tip("master")
    code.branch("moving", moving="x")
    path = f"{code.requests}/{code.open(source_branch='moving').json['iid']}"
    settings = Settings(data=stage.folder, password_kilobytes=64)
    services = build_services(settings, database)
    # The job that removes it comes later.
    assert (
        replace(cast.master, app=build(services)).put(f"{path}/merge", should_remove_source_branch=True).status == 200
    )
    moved = code.commit("moving", moved="x")
    stage.loop.run_until_complete(runner(services).drain())
    assert (code.tip("moving"), cast.master.get(path).json["state"]) == (moved, "merged")


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_a_trial_merge_can_be_fetched(cast, code, request_path):
    assert cast.anonymous.get(f"{request_path}/merge_ref").status == 401
    made = cast.stranger.get(f"{request_path}/merge_ref").json["commit_id"]
    assert parents(cast, code, made) == [code.first, code.topic]
    assert cast.owner.get(f"{request_path}/merge_ref").json == {"commit_id": made}
    tip = code.commit(elsewhere="x")
    assert parents(cast, code, cast.guest.get(f"{request_path}/merge_ref").json["commit_id"]) == [tip, code.topic]
    assert (code.tip(), cast.guest.get(request_path).json["state"]) == (tip, "opened")
    code.commit(topic="another text\n")
    refused = cast.guest.get(f"{request_path}/merge_ref")
    assert (refused.status, refused.json) == (400, {"message": "Merge request is not mergeable"})
    cast.owner.put(code.path, visibility="private")
    assert cast.stranger.get(f"{request_path}/merge_ref").status == 404
    cast.developer.put(request_path, state_event="close")
    assert cast.owner.get(f"{request_path}/merge_ref").status == 400


def test_a_protected_source_branch_stays(cast, code, request_path):
    cast.owner.post(f"{code.path}/protected_branches", name="topic")
    assert cast.master.put(f"{request_path}/merge", should_remove_source_branch=True).status == 200
    assert code.tip("topic") == code.topic


def test_a_request_of_a_fork_is_merged(cast, code, fork):
    head = fork.commit("topic", person=cast.stranger, forked="x")
    made = fork.open(cast.stranger, target_project_id=code.id, remove_source_branch=True).json
    shown = cast.master.put(f"{code.requests}/{made['iid']}/merge").json
    assert shown["state"] == "merged"
    assert parents(cast, code, shown["merge_commit_sha"]) == [code.first, head]
    assert cast.stranger.get(f"{fork.path}/repository/branches/topic").status == 404
