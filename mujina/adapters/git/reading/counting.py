"""Summaries of commits: their number, titles and changed files."""

from pathlib import Path
from typing import TYPE_CHECKING

from mujina.adapters.git import git
from mujina.adapters.git.objects import commit_at, commit_of_ref, opened
from mujina.adapters.git.reading.commits import info
from mujina.adapters.git.reading.trees import MAX_ENTRIES, entries
from mujina.kernel import deferred_imports

if TYPE_CHECKING:
    from pygit2 import Commit, Repository


async def count_all(repo_path: Path, tip: str) -> int:
    """The number of commits in a history."""
    return int(await git.run(repo_path, "rev-list", "--count", "--use-bitmap-index", named=[tip], seconds=600))


def count_between(repository: "Repository", base: str, tip: str) -> int:
    """The number of commits that `tip` has and `base` lacks; 0 if one of them does not exist."""
    try:
        return ahead_of(repository, base, tip)
    except LookupError:
        return 0


def ahead_of(repository: "Repository", base: str, tip: str) -> int:
    """The number of commits that `tip` has and `base` lacks; `LookupError` if one of them does not exist."""
    pygit2 = deferred_imports.pygit2()
    try:
        return repository.ahead_behind(pygit2.Oid(hex=tip), pygit2.Oid(hex=base))[0]
    except (ValueError, pygit2.GitError) as error:
        raise LookupError(tip) from error


def title_of(repository: "Repository", id_: str) -> str | None:
    """The first line of the message of a commit or of a tag's commit; None if there is no commit."""
    commit = commit_at(repository, id_)
    return None if commit is None else info(commit).title


def tip_of(repository: "Repository", ref: str, *, skip_lost: bool = False) -> str | None:
    """The commit that a ref points to, as `commit_of_ref` finds it."""
    commit = commit_of_ref(repository, ref, skip_lost=skip_lost)
    return None if commit is None else str(commit.id)


def files_between(repo_path: Path, old: str, new: str) -> tuple[list[str], list[str]]:
    """The paths of deleted or changed files, and those of new or changed files."""
    repository = opened(repo_path)
    commits = (commit_at(repository, id_) for id_ in (old, new))
    trees = [{} if commit is None else _files(commit) for commit in commits]
    removed, added = (dict(one.items() - other.items()) for one, other in (trees, reversed(trees)))
    return sorted(removed), sorted(added)


def _files(commit: "Commit") -> dict[str, str]:
    found, _ = entries(commit, "", recursive=True, offset=0, limit=MAX_ENTRIES)
    return {entry.path: entry.id for entry in found if entry.type == "blob"}
