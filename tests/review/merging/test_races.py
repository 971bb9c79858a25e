"""What happens to a request while the server merges it, or while another push is recorded: nothing is lost, and what the
request shows is what was merged."""

import asyncio
import inspect
from urllib.parse import quote

import pytest

from mujina.adapters.git import refs
from mujina.adapters.git.reading import diffs
from mujina.adapters.git.writing import merging
from mujina.app import build_services
from mujina.review.merge_requests.branches import pushes
from mujina.settings import Settings
from tests.review.merge_requests.test_pushes import git, place_of

one_engine = pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
"""Both engines lock the same row; the tests around these run on both."""


@pytest.fixture
def elsewhere(code):
    """The project by its path: requests by its id wait for each other."""
    return f"/projects/{quote(code.project['path_with_namespace'], safe='')}"


@pytest.fixture
def meanwhile(monkeypatch, loop):
    """Another request that is answered once, at the moment at which a function of git is called."""

    def arrange(module, name, person, verb, path, **params):
        real, pending = getattr(module, name), [1]

        async def answer():
            answer = await person.exchange(verb, path, params=params)
            assert answer.status < 300, answer

        async def awaited(*args, **options):
            if pending:
                pending.clear()
                await answer()
            return await real(*args, **options)

        def called(*args, **options):
            if pending:
                pending.clear()
                asyncio.run_coroutine_threadsafe(answer(), loop).result(30)
            return real(*args, **options)

        monkeypatch.setattr(module, name, awaited if inspect.iscoroutinefunction(real) else called)

    return arrange


def a_commit(branch, name):
    actions = [{"action": "create", "file_path": name, "content": "x"}]
    return {"branch": branch, "commit_message": f"Add {name}", "actions": actions}


def published(stage):
    [head] = (stage.folder / "repositories").rglob("refs/merge-requests/1/head")
    return head.read_text().strip()


def test_commits_that_come_before_the_merge_are_merged_or_refused(cast, code, elsewhere, meanwhile):
    path = f"{code.requests}/{code.open(remove_source_branch=True).json['iid']}"
    commits = f"{elsewhere}/repository/commits"
    meanwhile(merging, "merge", cast.developer, "POST", commits, **a_commit("topic", "second"))
    # The caller has seen another head.
    refused = cast.master.put(f"{path}/merge", sha=code.topic)
    assert (refused.status, cast.anonymous.get(path).json["state"]) == (409, "opened")
    assert code.tip() == code.first
    meanwhile(merging, "merge", cast.developer, "POST", commits, **a_commit("topic", "third"))
    merged = cast.master.put(f"{path}/merge").json
    assert merged["state"] == "merged"
    files = {entry["path"] for entry in cast.owner.get(f"{code.path}/repository/tree").json}
    assert {"second", "third"} <= files
    assert cast.owner.get(f"{code.path}/repository/branches/topic").status == 404


def test_commits_that_come_during_the_merge_stay_on_their_branch(cast, code, elsewhere, meanwhile, stage):
    path = f"{code.requests}/{code.open(remove_source_branch=True).json['iid']}"
    commits = f"{elsewhere}/repository/commits"
    meanwhile(refs, "move_refs", cast.developer, "POST", commits, **a_commit("topic", "second"))
    merged = cast.master.put(f"{path}/merge").json
    assert (merged["state"], merged["sha"], published(stage)) == ("merged", code.topic, code.topic)
    parents = cast.owner.get(f"{code.path}/repository/commits/{code.tip()}").json["parent_ids"]
    assert parents == [code.first, code.topic]
    # What was not merged is not removed with its branch.
    assert cast.owner.get(f"{code.path}/repository/commits/{code.tip('topic')}").json["title"] == "Add second"
    assert len(cast.reporter.get(f"{path}/versions").json) == 1


def test_a_request_that_gets_another_target_is_not_merged_into_the_former_one(cast, code, elsewhere, meanwhile):
    code.branch("stable", stable="x")
    path = f"{code.requests}/{code.open().json['iid']}"
    other = f"{elsewhere}/merge_requests/1"
    meanwhile(merging, "merge", cast.developer, "PUT", other, target_branch="stable")
    assert cast.master.put(f"{path}/merge").status == 409
    shown = cast.anonymous.get(path).json
    assert (shown["state"], shown["target_branch"], code.tip()) == ("opened", "stable", code.first)
    assert cast.master.put(f"{path}/merge").json["state"] == "merged"


@one_engine
def test_pushes_at_the_same_time_leave_the_newest_version(cast, code, elsewhere, meanwhile, stage):
    path = f"{code.requests}/{code.open().json['iid']}"
    commits = f"{elsewhere}/repository/commits"
    # The second push is recorded while the first one is compared with the target.
    meanwhile(diffs, "difference", cast.developer, "POST", commits, **a_commit("topic", "second"))
    first = code.commit("topic", first="x")
    tip = code.tip("topic")
    assert tip != first
    assert (cast.anonymous.get(path).json["sha"], published(stage)) == (tip, tip)
    assert cast.reporter.get(f"{path}/versions").json[0]["head_commit_sha"] == tip
    # An edit leaves the published head to pushes.
    meanwhile(refs, "set_refs", cast.developer, "POST", commits, **a_commit("topic", "third"))
    assert cast.developer.put(path, title="Other").status == 200
    assert published(stage) == cast.anonymous.get(path).json["sha"] == code.tip("topic")


@one_engine
def test_a_merge_by_hand_merges_what_the_request_shows(cast, code, elsewhere, meanwhile):
    """The head reaches the target while more is pushed to the source."""
    path = f"{code.requests}/{code.open().json['iid']}"
    cast.owner.post(f"{code.path}/repository/branches", branch="twin", ref="topic")
    twin = code.open(cast.owner, source_branch="twin", title="Twin").json["iid"]
    commits = f"{elsewhere}/repository/commits"
    meanwhile(diffs, "commits_between", cast.developer, "POST", commits, **a_commit("topic", "more"))
    assert cast.owner.put(f"{code.requests}/{twin}/merge").json["state"] == "merged"
    shown = cast.anonymous.get(path).json
    assert (shown["state"], shown["sha"]) == ("opened", code.tip("topic"))


def test_a_head_that_a_job_finds_is_neither_approved_nor_merged_automatically(cast, code, stage, database):
    """As if the approval, and the wish to merge, had come while the push was recorded."""
    cast.owner.put(code.path, approvals_before_merge=1)
    made = code.open().json
    path, place = f"{code.requests}/{made['iid']}", place_of(stage, code.topic)
    assert cast.owner.post(f"{path}/approve", sha=code.topic).status == 201
    cast.developer.post(f"{code.path}/statuses/{code.topic}", state="running", ref="topic")
    assert cast.master.put(f"{path}/merge", auto_merge=True).json["merge_when_pipeline_succeeds"] is True
    identity = ("-c", "user.name=x", "-c", "user.email=x@example.org")
    head = git(place, *identity, "commit-tree", f"{code.topic}^{{tree}}", "-p", code.topic, "-m", "More")
    git(place, "update-ref", "refs/heads/topic", head)
    services = build_services(Settings(data=stage.folder, external_url="http://mujina.test"), database)
    stage.loop.run_until_complete(pushes.refresh(services, made["id"]))
    shown = cast.anonymous.get(path).json
    assert (shown["sha"], shown["merge_when_pipeline_succeeds"], shown["merge_user"]) == (head, False, None)
    assert cast.anonymous.get(f"{path}/approvals").json["approved_by"] == []
