"""How the method of the project, squashing and the number of commits decide what a merge makes of the target branch."""

import subprocess
from itertools import product

import pytest


def git(stage, *args):
    """What git says in the repository on disk."""
    [place] = {head.parents[2] for head in (stage.folder / "repositories").rglob("refs/heads/topic")}
    return subprocess.run(["git", "-C", place, *args], check=True, capture_output=True, text=True).stdout.split()[0]


METHODS = ["merge", "rebase_merge", "ff"]


@pytest.mark.parametrize(
    ("engine", "method", "squash", "many"),
    [
        *product(["sqlite"], METHODS, [False, True], [False, True]),
        *(("postgres", method, True, True) for method in METHODS),
    ],
    indirect=["engine"],
)
def test_every_method_with_and_without_squashing(cast, code, stage, method, squash, many):
    head = code.commit("topic", message="Second", second="x") if many else code.topic
    changed = cast.owner.put(code.path, merge_method=method).json
    assert changed["merge_method"] == method
    path = f"{code.requests}/{code.open(title='All of it').json['iid']}"
    tip = code.first
    if method == "merge":
        tip = code.commit(elsewhere="x")
    expected = git(stage, "merge-tree", "--write-tree", tip, head)
    merged = cast.master.put(f"{path}/merge", squash=squash, merge_commit_message="Mine")
    assert merged.status == 200, merged
    shown = merged.json
    assert (shown["state"], shown["sha"], shown["squash"]) == ("merged", head, squash)
    new = code.tip()
    assert git(stage, "rev-parse", f"{new}^{{tree}}") == expected
    commit = cast.owner.get(f"{code.path}/repository/commits/{new}").json
    squashed = shown["squash_commit_sha"]
    assert (squashed is not None) == (squash and many)
    if method == "ff":
        assert (shown["merge_commit_sha"], new) == (None, squashed or head)
    else:
        assert (shown["merge_commit_sha"], commit["parent_ids"]) == (new, [tip, squashed or head])
        assert (commit["message"], commit["author_email"]) == ("Mine", commit["committer_email"])
    if squashed:
        one = cast.owner.get(f"{code.path}/repository/commits/{squashed}").json
        assert (one["parent_ids"], one["message"]) == ([tip], "All of it")
        assert one["author_name"] == cast.developer.get("/user").json["name"]
        assert one["committer_name"] == cast.master.get("/user").json["name"]
    assert code.tip("topic") == head


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_a_source_that_lacks_the_target_is_rebased_first(cast, code):
    path = f"{code.requests}/{code.open().json['iid']}"
    tip = code.commit(elsewhere="x")
    asked = {"include_rebase_in_progress": True, "include_diverged_commits_count": True}
    assert "diverged_commits_count" not in cast.anonymous.get(path).json
    for method in ("rebase_merge", "ff"):
        cast.owner.put(code.path, merge_method=method)
        shown = cast.anonymous.get(path, **asked).json
        assert shown | {
            "merge_status": "can_be_merged", "detailed_merge_status": "need_rebase", "has_conflicts": False,
            "diverged_commits_count": 1, "rebase_in_progress": False,
        } == shown  # fmt: skip
        refused = cast.master.put(f"{path}/merge")
        assert (refused.status, refused.json) == (406, {"message": "Branch cannot be merged"})
    assert code.tip() == tip
    assert cast.anonymous.put(f"{path}/rebase").status == 401
    assert cast.reporter.put(f"{path}/rebase").json == {"message": "403 Forbidden - Cannot push to source branch"}
    rebased = cast.developer.put(f"{path}/rebase", skip_ci=True)
    assert (rebased.status, rebased.json) == (202, {"rebase_in_progress": True})
    shown = cast.anonymous.get(path, **asked).json
    assert shown | {
        "detailed_merge_status": "mergeable", "diverged_commits_count": 0, "rebase_in_progress": False,
        "merge_error": None,
    } == shown  # fmt: skip
    head = code.tip("topic")
    assert shown["sha"] == head != code.topic
    commit = cast.owner.get(f"{code.path}/repository/commits/{head}").json
    before = cast.owner.get(f"{code.path}/repository/commits/{code.topic}").json
    assert commit["parent_ids"] == [tip]
    for field in ("message", "author_name", "author_email", "authored_date"):
        assert commit[field] == before[field]
    assert commit["committer_name"] == cast.developer.get("/user").json["name"]
    assert cast.master.put(f"{path}/merge").json["merge_commit_sha"] is None
    assert code.tip() == head
    assert cast.developer.put(f"{path}/rebase").status == 405


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_a_rebase_that_conflicts_says_so_and_changes_nothing(cast, code):
    path = f"{code.requests}/{code.open().json['iid']}"
    code.commit(topic="another text\n")
    assert cast.developer.put(f"{path}/rebase").status == 202
    shown = cast.anonymous.get(path, include_rebase_in_progress=True).json
    assert (shown["merge_error"], shown["rebase_in_progress"]) == ("Rebase failed. Please rebase locally", False)
    assert code.tip("topic") == code.topic
    cast.owner.post(f"{code.path}/protected_branches", name="topic")
    protected = {"message": "403 Forbidden - Source branch is protected from force push"}
    assert cast.master.put(f"{path}/rebase").json == protected


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_commits_that_the_target_has_already_are_left_out_by_a_rebase(cast, code):
    code.commit("topic", message="Second", second="x")
    path = f"{code.requests}/{code.open().json['iid']}"
    tip = code.commit(topic="text\n")
    assert cast.developer.put(f"{path}/rebase").status == 202
    head = code.tip("topic")
    commit = cast.owner.get(f"{code.path}/repository/commits/{head}").json
    assert (commit["parent_ids"], commit["message"]) == ([tip], "Second")
    assert cast.reporter.get(f"{path}/versions").json[0]["head_commit_sha"] == head


def test_members_of_the_target_push_to_the_source_of_a_fork_that_lets_them(cast, code, fork):
    fork.commit("topic", person=cast.stranger, forked="x")
    fork.commit("other", person=cast.stranger, start_branch="master", forked="x")
    made = fork.open(cast.stranger, target_project_id=code.id, allow_maintainer_to_push=True).json
    path = f"{code.requests}/{made['iid']}"
    assert (made["allow_collaboration"], made["allow_maintainer_to_push"]) == (True, True)
    by_member = {
        "branch": "topic", "commit_message": "Theirs", "actions": [
            {"action": "create", "file_path": "theirs", "content": "x"}
        ],
    }  # fmt: skip
    commits = f"{fork.path}/repository/commits"
    # Only masters may merge into the protected target branch, so only they may push.
    assert cast.developer.post(commits, **by_member).status == 400
    assert cast.reporter.post(commits, **by_member).status == 403
    done = cast.master.post(commits, **by_member)
    assert done.status == 201
    assert cast.anonymous.get(path).json["sha"] == done.json["id"]
    assert cast.master.post(commits, **by_member | {"branch": "other"}).status == 400
    assert cast.master.delete(f"{fork.path}/repository/branches/topic").status == 403
    assert cast.master.post(f"{fork.path}/repository/tags", tag_name="v1", ref="topic").status == 403
    tip = code.commit(elsewhere="x")
    assert cast.master.put(f"{path}/rebase").status == 202
    rebased = cast.anonymous.get(path, include_diverged_commits_count=True).json
    assert (rebased["diverged_commits_count"], rebased["merge_error"]) == (0, None)
    assert rebased["diff_refs"]["base_sha"] == tip
    pushable = [
        branch["name"] for branch in cast.master.get(f"{fork.path}/repository/branches").json if branch["can_push"]
    ]
    assert pushable == ["topic"]
    edited = cast.stranger.put(path, allow_collaboration=False).json
    assert edited["allow_collaboration"] is False
    assert cast.master.post(commits, **by_member).status == 403
    assert cast.master.put(f"{path}/rebase").status == 403
    assert not cast.master.get(f"{fork.path}/repository/branches/topic").json["can_push"]
    # Those who may edit the request do not let themselves push to the fork of another user.
    assert cast.master.put(path, allow_collaboration=True, title="Mine").json["allow_collaboration"] is False
    assert cast.master.post(commits, **by_member).status == 403
