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
    # A job computes it again after the push.
    assert cast.anonymous.get(code.requests).json[0]["merge_status"] == "can_be_merged"
    assert len(cast.reporter.get(f"{path}/versions").json) == 1
    assert cast.anonymous.get(path).json["state"] == "opened"
    # Nor does it change a request without a source branch.
    empty = f"{code.requests}/{code.open(source_branch='nowhere').json['iid']}"
    code.commit(more="x")
    assert len(cast.reporter.get(f"{empty}/versions").json) == 1


def test_a_request_whose_source_is_gone_closes(cast, code):
    path = f"{code.requests}/{code.open().json['iid']}"
    assert cast.owner.delete(f"{code.path}/repository/branches/topic").status == 204
    shown = cast.anonymous.get(path).json
    assert (shown["state"], shown["closed_by"]["id"]) == ("closed", cast.owner.id)
    assert shown["sha"] == code.topic
    cast.owner.post(f"{code.path}/repository/branches", branch="topic", ref=code.topic)
    assert cast.anonymous.get(path).json["state"] == "closed"
    assert cast.developer.put(path, state_event="reopen").json["state"] == "opened"


def test_a_source_branch_that_appears_is_noted(cast, code):
    path = f"{code.requests}/{code.open(source_branch='late').json['iid']}"
    assert cast.anonymous.get(path).json["sha"] is None
    head = code.branch("late", late="x")
    assert cast.anonymous.get(path).json["sha"] == head
    assert [note["body"] for note in cast.reporter.get(f"{path}/notes").json] == ["restored source branch `late`"]


def test_a_conflict_is_a_todo_of_the_author_once(cast, code):
    path = f"{code.requests}/{code.open().json['iid']}"

    def todos():
        return [todo["action_name"] for todo in cast.developer.get("/todos").json]

    code.commit(elsewhere="x")
    assert todos() == []
    code.commit(topic="another text\n")
    assert cast.anonymous.get(code.requests).json[0]["merge_status"] == "cannot_be_merged"
    [todo] = cast.developer.get("/todos").json
    assert (todo["action_name"], todo["target"]["iid"], todo["author"]["id"]) == ("unmergeable", 1, cast.developer.id)
    cast.developer.post(f"/todos/{todo['id']}/mark_as_done")
    code.commit(more="x")
    assert cast.anonymous.get(path).json["has_conflicts"]
    assert todos() == []
    # The conflict goes, and another comes.
    code.commit(action="delete", topic="")
    assert cast.anonymous.get(path).json["merge_status"] == "can_be_merged"
    code.commit(topic="yet another text\n")
    assert todos() == ["unmergeable"]
    assert cast.master.get("/todos").json == []


def test_the_refs_of_requests_are_no_branches(cast, code):
    code.open()
    branches = cast.owner.get(f"{code.path}/repository/branches").json
    assert [branch["name"] for branch in branches] == ["master", "topic"]
    assert cast.owner.get(f"{code.path}/repository/tags").json == []
