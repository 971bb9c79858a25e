"""What the next request sees after a branch has moved."""

import subprocess


def git(folder, *args):
    return subprocess.run(["git", "-C", folder, *args], check=True, capture_output=True, text=True).stdout.strip()


def place_of(stage, sha):
    """The repository that has this commit under the name by which a request is fetched."""
    [head] = [
        head for head in (stage.folder / "repositories").rglob("refs/merge-requests/1/head")
        if head.read_text().strip() == sha
    ]  # fmt: skip
    return head.parents[3]


def test_a_push_to_the_source_makes_a_version(cast, code, stage):
    path = f"{code.requests}/{code.open().json['iid']}"
    head = code.commit("topic", again="x")
    shown = cast.anonymous.get(path).json
    assert (shown["sha"], shown["changes_count"]) == (head, "2")
    assert [version["head_commit_sha"] for version in cast.reporter.get(f"{path}/versions").json] == [head, code.topic]
    assert git(place_of(stage, head), "rev-parse", "refs/merge-requests/1/head") == head


def test_a_push_to_a_fork_brings_its_commits(cast, code, fork, stage):
    fork.commit("topic", person=cast.stranger, forked="x")
    path = f"{code.requests}/{fork.open(cast.stranger, target_project_id=code.id).json['iid']}"
    head = fork.commit("topic", person=cast.stranger, again="x")
    assert cast.anonymous.get(path).json["sha"] == head
    assert cast.anonymous.get(f"{path}/commits").json[0]["id"] == head
    place = place_of(stage, head)
    git(place, "gc", "--prune=now", "--quiet")
    assert git(place, "cat-file", "-t", head) == "commit"
    # The fork goes; what it brought stays.
    assert cast.stranger.delete(fork.path).status < 300
    assert cast.anonymous.get(f"{path}/commits").json[0]["id"] == head
    assert cast.anonymous.get(path).json["source_project_id"] is None


def test_a_push_to_the_target_makes_a_version_only_if_it_changes_what_is_compared(cast, code):
    code.commit("topic", again="x")
    path = f"{code.requests}/{code.open().json['iid']}"
    cast.anonymous.get(path)
    code.commit(elsewhere="x")
    assert cast.anonymous.get(code.requests).json[0]["merge_status"] == "unchecked"
    assert len(cast.reporter.get(f"{path}/versions").json) == 1
    assert cast.anonymous.get(path).json["state"] == "opened"


def test_a_request_whose_source_is_gone_closes(cast, code):
    path = f"{code.requests}/{code.open().json['iid']}"
    assert cast.owner.delete(f"{code.path}/repository/branches/topic").status == 204
    shown = cast.anonymous.get(path).json
    assert (shown["state"], shown["closed_by"]["id"]) == ("closed", cast.owner.id)
    assert shown["sha"] == code.topic
    cast.owner.post(f"{code.path}/repository/branches", branch="topic", ref=code.topic)
    assert cast.anonymous.get(path).json["state"] == "closed"
    assert cast.developer.put(path, state_event="reopen").json["state"] == "opened"


def test_the_refs_of_requests_are_no_branches(cast, code):
    code.open()
    branches = cast.owner.get(f"{code.path}/repository/branches").json
    assert [branch["name"] for branch in branches] == ["master", "topic"]
    assert cast.owner.get(f"{code.path}/repository/tags").json == []
