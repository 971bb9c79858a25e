"""A repository that lacks objects is a fault of the server's storage: 503, and never 500."""

import pygit2
import pytest

from mujina.adapters.git.storage import RepositoryStorage


@pytest.fixture
def lost(code, stage):
    """A commit whose tree is gone from the disk."""
    commit = code.commit(more="x").json["id"]
    assert code.commit(another="y").status == 201
    folder = RepositoryStorage.of(stage.folder).repo_path(code.project["id"])
    tree = str(pygit2.Repository(str(folder))[commit].peel(pygit2.Tree).id)
    (folder / "objects" / tree[:2] / tree[2:]).unlink()
    return commit


@pytest.mark.parametrize("path", ["commits/{}", "commits/{}/diff", "tree?ref={}", "compare?from={}&to=master"])
def test_what_needs_a_lost_object_is_unavailable(cast, code, lost, path):
    answer = cast.owner.get(f"{code.at}/{path.format(lost)}")
    assert (answer.status, "storage reports errors" in answer.json["message"]) == (503, True), answer
