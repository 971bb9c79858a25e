import math
import os

import pytest

from mujina.adapters.file_locks import backup_lock
from mujina.adapters.git import usage
from mujina.adapters.git.fetches import LIGHT_BYTES, FetchNote
from mujina.adapters.git.storage import RepositoryStorage
from mujina.code.repositories import tasks
from tests.harness.cases import Case, cases

AT = "POST /projects/{private.id}/housekeeping"
LEASED = {"message": "Somebody already triggered housekeeping for this project in the past 1440 minutes"}


@cases(
    [
        Case("anonymous", AT, 401),
        Case("stranger", AT, 404),
        Case("developer", AT, 403, {"message": "403 Forbidden"}, events=[]),
        Case("master", AT, 201, {}, events=["repository.housekeeping_wanted"]),
    ]
)
def test_masters_put_a_repository_in_order(case, cast, stage):
    stage.forget_stored()
    case.holds(cast)


def test_once_a_day_is_enough(cast, code):
    path = f"{code.path}/housekeeping"
    assert cast.owner.post(path).status == 201
    again = cast.owner.post(path)
    assert (again.status, again.json) == (409, LEASED)


def test_many_packs_become_one_and_nothing_is_lost(cast, code, stage):
    for n in range(3):
        code.commit(message=f"{n}", **{f"file{n}": "x"})
    repo_path = RepositoryStorage.of(stage.folder).repo_path(code.project["id"])
    (repo_path / "objects/maintenance.lock").touch()  # as of somebody who was killed
    assert cast.owner.post(f"{code.path}/housekeeping").status == 201
    assert len(list(repo_path.glob("objects/pack/*.pack"))) == len(list(repo_path.glob("objects/pack/*.bitmap"))) == 1
    assert list(repo_path.glob("objects/[0-9a-f][0-9a-f]/*")) == []
    assert (repo_path / "objects/info/commit-graph").exists()
    assert len(cast.owner.get(f"{code.at}/commits").json) == 4
    assert len(cast.owner.get(f"{code.at}/commits", path="file1").json) == 1


def test_housekeeping_waits_for_a_backup(cast, code, stage):
    """What is unreachable by now was reachable at the instant of the backup."""
    for n in range(2):
        code.commit(message=f"{n}", **{f"file{n}": "x"})
    repo_path = RepositoryStorage.of(stage.folder).repo_path(code.project["id"])
    before = sorted(repo_path.glob("objects/**/*"))
    with backup_lock(stage.folder):
        assert cast.owner.post(f"{code.path}/housekeeping").status == 201
    assert sorted(repo_path.glob("objects/**/*")) == before


def loose(repo_path):
    return list(repo_path.glob("objects/[0-9a-f][0-9a-f]/*"))


@pytest.fixture
def few(code, stage, monkeypatch):
    """The repository of `code`, where more than five loose objects are many and the machine is never busy."""
    repo_path = RepositoryStorage.of(stage.folder).repo_path(code.project["id"])
    code.commit(message="few", few="x")
    assert len(loose(repo_path)) > 5
    monkeypatch.setattr(usage, "MAX_LOOSE", 5)
    monkeypatch.setattr(tasks, "MAX_LOAD", math.inf)
    return repo_path


def test_many_objects_of_commits_by_the_api_are_packed_without_a_request(code, few):
    code.commit(message="many", many="x")
    assert loose(few) == []
    assert len(list(few.glob("objects/pack/*.pack"))) == 1


def test_housekeeping_without_a_request_waits_until_there_are_no_clones(cast, code, few):
    FetchNote(few).add(LIGHT_BYTES)
    code.commit(message="many", many="x")
    assert len(loose(few)) > 5
    assert cast.owner.post(f"{code.path}/housekeeping").status == 201
    assert loose(few) == [], "a request does not wait"


def test_housekeeping_without_a_request_waits_for_a_busy_machine(code, few, monkeypatch):
    monkeypatch.setattr(tasks, "MAX_LOAD", -1)
    code.commit(message="many", many="x")
    assert len(loose(few)) > 5


def test_housekeeping_does_not_wait_for_ever(code, few, monkeypatch):
    FetchNote(few).add(LIGHT_BYTES)
    monkeypatch.setattr(usage, "MAX_LOOSE", 1)
    code.commit(message="many", many="x")
    assert loose(few) == []


def test_many_objects_of_a_wiki_are_packed(cast, code, few):
    for title in ("One", "Two", "Three"):
        assert cast.owner.post(f"{code.path}/wikis", title=title, content="x").status == 201
    assert len(list(few.with_suffix(".wiki.git").glob("objects/pack/*.pack"))) == 1


def test_housekeeping_removes_old_files_of_killed_processes(cast, code, stage):
    storage = RepositoryStorage.of(stage.folder)
    assert cast.owner.post(f"{code.path}/wikis", title="Home", content="x").status == 201
    repo_paths = [storage.repo_path(code.project["id"], wiki=wiki) for wiki in (False, True)]
    for repo_path in repo_paths:
        for age in ("old", "new"):
            (repo_path / f"objects/tmp_objdir-incoming-{age}/pack").mkdir(parents=True)
            (repo_path / f"objects/tmp_objdir-incoming-{age}/pack/tmp_pack_x").touch()
        (repo_path / "objects/pack/tmp_pack_old").touch()
        for left in ("tmp_objdir-incoming-old", "pack/tmp_pack_old"):
            os.utime(repo_path / "objects" / left, (0, 0))
    draft = repo_paths[0].parent / ".draft-old"
    draft.mkdir()
    os.utime(draft, (0, 0))
    assert cast.owner.post(f"{code.path}/housekeeping").status == 201
    assert not draft.exists()
    for repo_path in repo_paths:
        assert [left.name for left in repo_path.glob("objects/tmp_objdir*")] == ["tmp_objdir-incoming-new"]
        assert list(repo_path.glob("objects/pack/tmp_*")) == []
