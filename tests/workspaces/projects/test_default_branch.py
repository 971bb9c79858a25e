import pytest

from mujina.adapters.git.storage import RepositoryStorage
from mujina.code.pushes.changes import ZERO, Change, first_branch
from tests.harness.creation import make_project


def test_another_branch_becomes_the_default_one(cast, filled, stage):
    project = filled(cast.private, "stable")
    changed = cast.master.put(f"/projects/{project.id}", default_branch="stable")
    assert (changed.status, changed.json["default_branch"]) == (200, "stable")
    assert (RepositoryStorage.of(stage.folder).repo_path(project.id) / "HEAD").read_text() == "ref: refs/heads/stable\n"


def test_statistics_count_the_commits_of_the_default_branch(cast, filled):
    at = f"/projects/{filled(cast.private, 'stable').id}"
    for name in ("a", "b"):
        actions = [{"action": "create", "file_path": name, "content": ""}]
        cast.owner.post(f"{at}/repository/commits", branch="stable", commit_message="More", actions=actions)
    assert cast.owner.get(at, statistics=True).json["statistics"]["commit_count"] == 1
    cast.owner.put(at, default_branch="stable")
    assert cast.owner.get(at, statistics=True).json["statistics"]["commit_count"] == 3


def test_a_missing_default_branch_is_rejected(cast, filled):
    project = filled(cast.private)
    for name in ("none", "v1", "", "HEAD", "../x", "-x"):
        refused = cast.master.put(f"/projects/{project.id}", default_branch=name)
        expected = {"base": [f"Could not change HEAD: branch '{name}' does not exist"]}
        assert (refused.status, refused.json) == (400, {"message": expected})
    assert cast.guest.put(f"/projects/{project.id}", default_branch="none").status == 403
    assert cast.stranger.put(f"/projects/{project.id}", default_branch="none").status == 404


def test_an_empty_repository_has_no_default_branch(cast, clean):
    changed = cast.master.put(f"/projects/{cast.private.id}", default_branch="main")
    assert (changed.status, changed.json["default_branch"]) == (200, None)


def test_the_requested_branch_becomes_the_default_one(cast, clean, stage):
    made = cast.master.post("/projects", name="fresh", default_branch="stable")
    assert (made.status, made.json["default_branch"]) == (201, None)
    at = f"/projects/{made.json['id']}"
    head = RepositoryStorage.of(stage.folder).repo_path(made.json["id"]) / "HEAD"
    assert head.read_text() == "ref: refs/heads/stable\n"
    actions = [{"action": "create", "file_path": "README", "content": ""}]
    cast.master.post(f"{at}/repository/commits", branch="stable", commit_message="First", actions=actions)
    assert cast.master.get(at).json["default_branch"] == "stable"
    assert head.read_text() == "ref: refs/heads/stable\n"


def test_the_head_of_an_empty_repository_is_the_requested_branch(cast, clean):
    at = f"/projects/{make_project(cast.master, 'fresh', default_branch='stable')['id']}"
    assert cast.master.post(f"{at}/repository/branches", branch="side", ref="master").status == 400
    assert cast.master.post(f"{at}/repository/branches", branch="side", ref="stable").status == 201
    assert cast.master.get(at).json["default_branch"] == "stable"
    assert [branch["name"] for branch in cast.master.get(f"{at}/repository/branches").json] == ["side", "stable"]


@pytest.mark.parametrize("wish", ["a..b", "a b", "x" * 251, "x.lock"])
def test_an_invalid_default_branch_is_rejected(cast, wish):
    refused = cast.master.post("/projects", name="fresh", default_branch=wish)
    assert (refused.status, refused.json) == (400, {"message": {"default_branch": ["is invalid"]}})


@pytest.mark.parametrize(("wish", "chosen"), [("stable", "stable"), (None, "master"), ("gone", "master")])
def test_the_requested_branch_among_several_first_ones_becomes_the_default_one(wish, chosen):
    born = [Change(f"refs/heads/{name}", ZERO, "1" * 40) for name in ("alpha", "master", "stable")]
    assert first_branch(born, wish) == chosen
    assert first_branch(born[:1], wish) == "alpha"
    main = Change("refs/heads/main", ZERO, "1" * 40)
    assert first_branch([born[0], main], wish) == "main"
    assert first_branch([*born, main], "main") == "main"
