import pygit2
import pytest
from pygit2.enums import FileMode

from mujina.adapters.git.writing import commits as writing
from mujina.adapters.git.writing.commits import Action, InvalidAction, Signer

ANN = Signer("Ann", "ann@example.org")


@pytest.fixture
def odd(tmp_path):
    """A repository with a link and a submodule in its only commit: its place, and the commit."""
    repository = pygit2.init_repository(tmp_path, bare=True)
    tree = repository.TreeBuilder()
    tree.insert("link", repository.create_blob(b"elsewhere"), FileMode.LINK)
    tree.insert("module", pygit2.Oid(hex="1" * 40), FileMode.COMMIT)
    someone = pygit2.Signature(ANN.name, ANN.email)
    return tmp_path, str(repository.create_commit(None, someone, someone, "odd", tree.write(), []))


@pytest.mark.parametrize("path", ["link", "module"])
def test_only_a_plain_file_is_made_executable(odd, path):
    repo_path, parent = odd
    with pytest.raises(InvalidAction, match="plain file"):
        writing.commit(repo_path, parent, [Action("chmod", path, executable=True)], "m", ANN, ANN)


@pytest.mark.parametrize("path", ["link", "module"])
def test_nothing_is_put_below_a_link_or_a_submodule(odd, path):
    repo_path, parent = odd
    with pytest.raises(InvalidAction, match=f"{path} is a file"):
        writing.commit(repo_path, parent, [Action("create", f"{path}/x", b"")], "m", ANN, ANN)
