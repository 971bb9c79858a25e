"""A fetch that was killed is done again."""

import os
import time

import pytest

from mujina.adapters.git.storage import RepositoryStorage
from mujina.kernel.jobs.queue import enqueue
from tests.code.remote_mirrors.sources import add_commit, state


@pytest.fixture
def source(target):
    """The repository behind the server has a commit."""
    add_commit(target, "First")
    return target


def made(owner, source, **options):
    """The address of a project that was fetched from the source."""
    created = owner.post("/projects", import_url=source.url, name="fetched", **options)
    assert created.status == 201, created
    at = f"/projects/{created.json['id']}"
    assert state(owner, at) == ("finished", None)
    return at


def test_a_fetch_that_was_killed_is_repeated(owner, source, cast):
    at = made(owner, source)
    # A worker died while it fetched: the row says so, and the queue runs the job again.
    id_ = int(at.rpartition("/")[2])
    cast.run("UPDATE projects SET import_status = 'started', import_error = NULL WHERE id = :id", id=id_)
    cast.transact(lambda tx: enqueue(tx, "projects.import", id_))
    assert owner.post(f"{at}/housekeeping").status == 201  # runs all enqueued jobs
    assert state(owner, at) == ("finished", None)
    assert len(owner.get(f"{at}/repository/branches").json) == 1


def test_the_lock_of_a_fetch_that_was_killed_holds_up_the_mirror_for_a_minute(owner, source, stage, cast):
    at = made(owner, source, mirror=True)
    assert owner.post(f"{at}/mirror/pull").status == 200
    repository = RepositoryStorage.of(stage.folder).repo_path(int(at.rpartition("/")[2]))
    lock = repository / "refs" / "mujina" / "mirror" / "heads" / "main.lock"
    tip = add_commit(source, "Second")
    lock.parent.mkdir(parents=True, exist_ok=True)
    lock.touch()
    assert owner.post(f"{at}/mirror/pull").status == 200
    assert state(owner, at) == ("started", None)  # it is tried again
    os.utime(lock, (time.time() - 61,) * 2)
    cast.run("UPDATE jobs SET ready_at = '2018-01-01T00:00:00.000Z' WHERE task = 'projects.import'")
    assert owner.post(f"{at}/housekeeping").status == 201  # runs all enqueued jobs
    assert (state(owner, at), lock.exists()) == (("finished", None), False)
    assert owner.get(f"{at}/repository/branches/main").json["commit"]["id"] == tip
