"""What commits amount to: how many there are from one to another, what they are called, which files they change."""

from pathlib import Path
from typing import TYPE_CHECKING

from mujina.adapters import git
from mujina.adapters.git_objects import opened
from mujina.adapters.git_reading import info
from mujina.adapters.git_trees import MAX_ENTRIES, entries
from mujina.kernel import deferred_imports

if TYPE_CHECKING:
    from pygit2 import Commit, Repository


async def count_all(place: Path, tip: str) -> int:
    """How long the history of a commit is."""
    return int(await git.run(place, "rev-list", "--count", "--use-bitmap-index", named=[tip], seconds=600))


def count_between(repository: "Repository", base: str, tip: str) -> int:
    """How many commits `tip` has that `base` has not; 0 where one of them is not there."""
    pygit2 = deferred_imports.pygit2()
    try:
        return repository.ahead_behind(pygit2.Oid(hex=tip), pygit2.Oid(hex=base))[0]
    except (KeyError, ValueError, pygit2.GitError):
        return 0


def title_of(repository: "Repository", id_: str) -> str | None:
    """The first line of the commit that an id leads to; None if it leads to none."""
    commit = _commit(repository, id_)
    return None if commit is None else info(commit).title


def tip_of(repository: "Repository", ref: str) -> str | None:
    """The commit that a ref leads to."""
    try:
        return str(repository.lookup_reference(ref).peel(deferred_imports.pygit2().Commit).id)
    except (KeyError, ValueError, deferred_imports.pygit2().GitError):
        return None


def files_between(place: Path, old: str, new: str) -> tuple[list[str], list[str]]:
    """The paths whose files were there before and are gone or changed, and those whose files are new or changed."""
    repository = opened(place)
    before, after = _commit(repository, old), _commit(repository, new)
    trees = [_files(commit) if commit is not None else {} for commit in (before, after)]
    gone, come = (dict(one.items() - other.items()) for one, other in (trees, reversed(trees)))
    return sorted(gone), sorted(come)


def _files(commit: "Commit") -> dict[str, str]:
    found, _ = entries(commit, "", recursive=True, offset=0, limit=MAX_ENTRIES)
    return {entry.path: entry.id for entry in found if entry.type == "blob"}


def _commit(repository: "Repository", id_: str) -> "Commit | None":
    pygit2 = deferred_imports.pygit2()
    try:
        return repository[id_].peel(pygit2.Commit)
    except (KeyError, ValueError, pygit2.GitError):
        return None
