"""The difference between two commits, file by file within limits: the whole patch is never in memory."""

from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Final

import msgspec

from mujina.adapters.git import git
from mujina.adapters.git.objects import commit_of, opened
from mujina.adapters.git.reading import commits as reading
from mujina.adapters.git.reading.commits import CommitInfo, FileChange
from mujina.kernel import deferred_imports

if TYPE_CHECKING:
    from pygit2 import DiffDelta, Patch, Repository

MAX_FILES: Final = 1_000
MAX_LINES: Final = 50_000
MAX_BYTES: Final = 5_120_000
MAX_FILE_BYTES: Final = 102_400
"""A longer patch of one file is left out; the file is listed."""
MAX_SECONDS: Final = 20
"""Files that are not compared by then are left out, as beyond the other limits."""


class Difference(msgspec.Struct, frozen=True):
    files: list[FileChange]
    overflow: bool
    """Whether files beyond a limit were left out."""


def difference(repo_path: Path, base: str, head: str) -> Difference:
    """The files that differ between two commits, up to the limits."""
    files, lines, size = list[FileChange](), 0, 0
    deadline = monotonic() + MAX_SECONDS
    changes = _changes(opened(repo_path), base, head)
    if changes is None:
        return Difference([], True)
    for change in changes:
        lines += change.diff.count("\n")
        size += len(change.diff.encode())
        if len(files) >= MAX_FILES or lines > MAX_LINES or size > MAX_BYTES or monotonic() > deadline:
            return Difference(files, True)
        files.append(change)
    return Difference(files, False)


def _changes(repository: "Repository", base: str, head: str) -> Iterator[FileChange] | None:
    """Each changed file in turn; None if the trees differ too much to be compared."""
    diff = reading.diff_between(repository, base, head)
    if diff is None:
        return None
    deltas = list(diff.deltas)
    return (_file_diff(delta, reading.patch_of(repository, diff, n, delta)) for n, delta in enumerate(deltas))


def _file_diff(delta: "DiffDelta", patch: "Patch | None") -> FileChange:
    too_large = patch is None or (not patch.delta.is_binary and len(patch.data) > MAX_FILE_BYTES)
    change = reading.file_change(delta, None if too_large else patch)
    if patch is not None and patch.delta.is_binary:
        text = patch.data.decode("utf-8", "replace")
        binary = text[text.find("\nBinary files ") + 1 :] if "\nBinary files " in text else ""
        change = msgspec.structs.replace(change, diff=binary)
    return change


def changed_paths(repo_path: Path, base: str, head: str) -> list[str] | None:
    """The paths, old and new, of the files that differ; None if the trees differ too much to be compared."""
    diff = reading.diff_between(opened(repo_path), base, head)
    if diff is None:
        return None
    return sorted({path for delta in diff.deltas for path in (delta.old_file.path, delta.new_file.path)})


def stream(repo_path: Path, base: str, head: str) -> AsyncGenerator[bytes]:
    """The whole patch as git writes it, piece by piece."""
    return git.stream(repo_path, "diff", "--no-color", "--no-ext-diff", "--find-renames", "-l1000", base, head)


def stream_mails(repo_path: Path, base: str, head: str) -> AsyncGenerator[bytes]:
    """The commits of `head` that `base` lacks, as mails that `git am` applies, piece by piece."""
    return git.stream(repo_path, "format-patch", "--stdout", "--no-color", f"{base}..{head}")


def commits_between(
    repo_path: Path, start: str | None, head: str, limit: int | None = None, *, merges: bool = True
) -> list[str]:
    """The ids of the commits of `head` that `start` lacks, the newest first; none if one of the two was pruned."""
    pygit2 = deferred_imports.pygit2()
    order = pygit2.enums.SortMode.TOPOLOGICAL | pygit2.enums.SortMode.TIME
    try:
        walker = opened(repo_path).walk(pygit2.Oid(hex=head), order)
        if start is not None:
            walker.hide(pygit2.Oid(hex=start))
        found = (str(commit.id) for commit in walker if merges or len(commit.parent_ids) <= 1)
        return list(islice(found, limit))
    except (KeyError, ValueError, pygit2.GitError):
        return []


def reached(repo_path: Path, commits: frozenset[str], heads: Sequence[str], old: str) -> frozenset[str]:
    """Returns the commits, none of which `old` has, that are in the history of one of the heads: by one walk."""
    pygit2 = deferred_imports.pygit2()
    walker = opened(repo_path).walk(None)
    for head in heads:
        with suppress(KeyError, ValueError, pygit2.GitError):  # pruned
            walker.push(pygit2.Oid(hex=head))
    try:
        walker.hide(pygit2.Oid(hex=old))
    except (KeyError, ValueError, pygit2.GitError):
        return commits
    return frozenset(id_ for commit in walker if (id_ := str(commit.id)) in commits)


def messages_between(repo_path: Path, start: str | None, head: str, max_commits: int, max_length: int) -> Iterator[str]:
    """The messages of the newest commits of `head` that `start` lacks, until they have `max_length` characters."""
    repository, length = opened(repo_path), 0
    for id_ in commits_between(repo_path, start, head, max_commits):
        message = commit_of(repository, id_).raw_message.decode("utf-8", "replace")
        length += len(message)
        if length > max_length:
            yield message[: max_length - length]
            return
        yield message


def read_commits(repo_path: Path, ids: list[str]) -> list[CommitInfo]:
    """Reads these commits, in this order."""
    repository = opened(repo_path)
    return [reading.info(commit_of(repository, id_)) for id_ in ids]
