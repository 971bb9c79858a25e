"""The contents of a push, as hooks describe them: the newest commits with the names of their files, and tags."""

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from mujina.adapters.git.objects import commit_at, commit_of_ref, opened
from mujina.adapters.git.reading.commits import CommitInfo, diff_of, info
from mujina.kernel import deferred_imports

if TYPE_CHECKING:
    from pygit2 import Commit, Repository

MAX_PATHS, MAX_PATH_BYTES = 1_000, 100_000
"""Paths of each kind that are listed of one commit, and the bytes that they have together."""


class PushedCommit(NamedTuple):
    info: CommitInfo
    added: list[str]
    modified: list[str]
    removed: list[str]


class PushedTag(NamedTuple):
    message: str | None
    """None for a tag without an object of its own."""
    commit: CommitInfo | None
    """None if it points to something else."""


def find_commit_info(repo_path: Path, sha: str) -> CommitInfo | None:
    """The commit of this id, or of this ref (`refs/…`), if there is one."""
    repository = opened(repo_path)
    commit = commit_of_ref(repository, sha, skip_lost=True) if sha.startswith("refs/") else commit_at(repository, sha)
    return None if commit is None else info(commit)


def pushed_commits(repo_path: Path, since: str | None, tip: str, limit: int) -> list[PushedCommit]:
    """The newest commits that `tip` has and `since` lacks, oldest first; none if one of them is gone."""
    pygit2 = deferred_imports.pygit2()
    try:
        repository = opened(repo_path)
        # Any other order would make libgit2 read a whole history first.
        order = pygit2.enums.SortMode.NONE if since is None else pygit2.enums.SortMode.TOPOLOGICAL
        walker = repository.walk(pygit2.Oid(hex=tip), order)
        if since is not None:
            walker.hide(pygit2.Oid(hex=since))
        newest = [commit for commit, _ in zip(walker, range(limit), strict=False)]
        return [_with_files(repository, commit) for commit in reversed(newest)]
    except (KeyError, ValueError, pygit2.GitError):
        return []


def newest_commits(repo_path: Path, branch: str, limit: int) -> list[str]:
    """The ids of the newest commits along the first parents of a branch, newest first."""
    commit, found = commit_of_ref(opened(repo_path), f"refs/heads/{branch}", skip_lost=True), list[str]()
    while commit is not None and len(found) < limit:
        found.append(str(commit.id))
        commit = commit.parents[0] if commit.parents else None
    return found


def with_files(repo_path: Path, sha: str) -> PushedCommit | None:
    """The commit of this id with the names of its files."""
    repository = opened(repo_path)
    commit = commit_at(repository, sha)
    return None if commit is None else _with_files(repository, commit)


def pushed_tag(repo_path: Path, target: str) -> PushedTag:
    """The tag whose ref points to this object."""
    pygit2 = deferred_imports.pygit2()
    try:
        found = opened(repo_path)[target]
    except (KeyError, ValueError, pygit2.GitError):
        return PushedTag(None, None)
    message = found.raw_message.decode("utf-8", "replace").rstrip("\n") if isinstance(found, pygit2.Tag) else None
    return PushedTag(message, find_commit_info(repo_path, target))


def _with_files(repository: "Repository", commit: "Commit") -> PushedCommit:
    """A renamed file counts as added under its new name."""
    pygit2 = deferred_imports.pygit2()
    diff = diff_of(repository, commit.parents[0] if commit.parents else None, commit)
    found: dict[str, list[str]] = {"added": [], "modified": [], "removed": []}
    sizes = dict.fromkeys(found, 0)
    status = pygit2.enums.DeltaStatus
    for delta in diff.deltas if diff is not None else ():
        if delta.status in (status.ADDED, status.RENAMED, status.COPIED):
            kind, file = "added", delta.new_file
        elif delta.status == status.DELETED:
            kind, file = "removed", delta.old_file
        else:
            kind, file = "modified", delta.new_file
        sizes[kind] += len(file.raw_path)
        if len(found[kind]) < MAX_PATHS and sizes[kind] <= MAX_PATH_BYTES:
            found[kind].append(file.raw_path.decode("utf-8", "replace"))
    return PushedCommit(info(commit), found["added"], found["modified"], found["removed"])
