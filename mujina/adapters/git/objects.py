"""Opens repositories in this process with libgit2, isolated from the configuration of the machine."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from mujina.kernel import deferred_imports
from mujina.kernel.storage.errors import NOT_STORED

if TYPE_CHECKING:
    from pygit2 import Commit, Odb, Oid, Repository, Signature


def opened(path: Path) -> "Repository":
    """The repository in this folder; cheap enough to open for each request."""
    pygit2 = _prepared()
    return pygit2.Repository(
        str(path), pygit2.enums.RepositoryOpenFlag.BARE | pygit2.enums.RepositoryOpenFlag.NO_SEARCH
    )


@contextmanager
def joined(*repo_paths: Path) -> Generator[Path]:
    """For a while, a repository that has the objects of all these, and no refs of its own; they stay as they are."""
    with TemporaryDirectory(prefix="joined-") as folder:
        repo_path = Path(folder)
        for name in ("objects/info", "refs"):
            (repo_path / name).mkdir(parents=True)
        (repo_path / "HEAD").write_text("ref: refs/heads/none\n")
        alternates = "".join(f"{path / 'objects'}\n" for path in repo_paths)
        (repo_path / "objects/info/alternates").write_text(alternates)
        yield repo_path


def commit_of(repository: "Repository", id_: str) -> "Commit":
    """The commit of a whole id that exists: no ref is looked up. A repository that lost it is damaged."""
    pygit2 = deferred_imports.pygit2()
    try:
        return repository[id_].peel(pygit2.Commit)
    except KeyError as error:
        raise pygit2.GitError(f"the commit {id_} is lost") from error


def commit_at(repository: "Repository", id_: str) -> "Commit | None":
    """The commit of this id, or the one that the tag of this id leads to; None if there is none."""
    pygit2 = deferred_imports.pygit2()
    try:
        return repository[id_].peel(pygit2.Commit)
    except (KeyError, ValueError, pygit2.GitError):
        return None


def commit_of_ref(repository: "Repository", ref: str, *, skip_lost: bool = False) -> "Commit | None":
    """The commit that a ref leads to; None if the ref does not exist or leads to something else.

    A repository that lost what an existing ref names is damaged; with `skip_lost` there is no such ref.
    """
    pygit2 = deferred_imports.pygit2()
    try:
        target = repository.lookup_reference(ref).resolve().target
    except (KeyError, ValueError):
        return None
    except pygit2.GitError:  # the ref names nothing that could be an object
        if skip_lost:
            return None
        raise
    if target not in repository and not skip_lost:
        raise pygit2.GitError(f"the object {target} of {ref} is lost")
    return commit_at(repository, str(target))


def database_of(path: Path, quarantine: str | None = None) -> "Odb":
    """The objects of the repository, with those of a push in quarantine."""
    objects = opened(path).odb
    if quarantine is not None:
        objects.add_disk_alternate(quarantine)
    return objects


def create_commit(
    repository: "Repository",
    author: "Signature",
    committer: "Signature",
    message: str | bytes,
    tree: "Oid",
    parents: "Sequence[Oid | str]",
    encoding: str | None = None,
) -> "Oid":
    """The id of a new commit, which no ref names. The library itself says nothing if there is no room for it."""
    more = () if encoding is None else (encoding,)
    made = repository.create_commit(None, author, committer, message, tree, list(parents), *more)
    if made not in repository:
        raise OSError(NOT_STORED)
    return made


@cache
def _prepared():  # noqa: ANN202 - the type of a module can be inferred, not spelled
    """libgit2 without the configuration of the machine and of the user."""
    pygit2 = deferred_imports.pygit2()
    levels = pygit2.enums.ConfigLevel
    for level in (levels.SYSTEM, levels.XDG, levels.GLOBAL, levels.PROGRAMDATA):
        pygit2.settings.search_path[level] = "/nonexistent"
    pygit2.option(pygit2.enums.Option.SET_OWNER_VALIDATION, False)
    pygit2.option(pygit2.enums.Option.ENABLE_FSYNC_GITDIR, True)
    return pygit2
