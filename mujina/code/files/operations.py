"""Trees and files of a commit."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator
from typing import Final

import msgspec

from mujina.adapters.git import git
from mujina.adapters.git.objects import commit_of
from mujina.adapters.git.reading import commits as reading
from mujina.adapters.git.reading import diffs, log, pointers, trees
from mujina.adapters.git.reading.commits import Blob, CommitInfo
from mujina.adapters.git.reading.log import History
from mujina.adapters.git.reading.trees import Entry, TreeTooLarge, tree_path
from mujina.code.commits.operations import Repository, ResolvedCommit, show
from mujina.kernel import errors
from mujina.kernel.storage.recent_results import RecentResults

MAX_WHOLE: Final = 100_000
"""The entries of a tree that is listed as a whole."""


async def tree(
    found: ResolvedCommit, path: str, *, recursive: bool, offset: int, limit: int
) -> tuple[list[Entry], int]:
    """One page of the tree at this path, and the total; empty if there is no tree."""

    def read() -> tuple[list[Entry], int]:
        commit = commit_of(found.code.repository, found.id)
        return trees.entries(commit, tree_path(path), recursive=recursive, offset=offset, limit=limit)

    try:
        return await asyncio.to_thread(read) if recursive else read()
    except TreeTooLarge as error:
        raise errors.bad_request(str(error)) from None


async def whole_tree(found: ResolvedCommit, path: str, *, recursive: bool) -> list[Entry] | None:
    """The whole tree at this path; None if it has more entries than one response should."""
    entries, total = await tree(found, path, recursive=recursive, offset=0, limit=MAX_WHOLE)
    return entries if total <= MAX_WHOLE else None


def entries_after(entries: list[Entry], token: str, limit: int) -> tuple[list[Entry], str | None]:
    """The entries after the one that the token names, and the token that continues after them; None: there are no more.

    A token is the id of an entry; files with the same content have one id, so a later one is counted behind a dot.
    """
    seen = Counter[str]()
    tokens: list[str] = []
    for entry in entries:
        tokens.append(f"{entry.id}.{seen[entry.id]}" if seen[entry.id] else entry.id)
        seen[entry.id] += 1
    if token and token not in tokens:
        raise errors.unacceptable("page_token is invalid")
    start = tokens.index(token) + 1 if token else 0
    end = start + limit
    return entries[start:end], tokens[end - 1] if end < len(entries) else None


async def changed_paths(found: ResolvedCommit, since: str) -> list[str] | None:
    """The paths of the files in which the commit differs from another; None if that one is gone or differs too much."""
    if reading.find_commit(found.code.repository, since) is None:
        return None
    return await asyncio.to_thread(diffs.changed_paths, found.code.repo_path, since, found.id)


def blob(found: ResolvedCommit, path: str) -> Blob:
    """The file at this path of the commit; 404 if there is none."""
    return errors.or_not_found(reading.file_at(found.code.repository, found.id, tree_path(path)), "File")


def blob_by_id(found: ResolvedCommit, id_: str) -> Blob:
    """The content of this id; 404 if there is none."""
    return errors.or_not_found(reading.content_of(found.code.repository, id_), "Blob")


def pieces(code: Repository, blob: Blob) -> AsyncGenerator[bytes]:
    """A blob too large for memory, in pieces."""
    return git.stream(code.repo_path, "cat-file", "blob", blob.id)


async def last_commit_of(found: ResolvedCommit, path: str) -> str:
    """The newest commit that touched the file."""
    return await log.latest(History(found.code.repo_path, found.id, tree_path(path))) or found.id


class LastCommits(msgspec.Struct, frozen=True):
    """The newest commit of each entry of a folder, by the name of the entry."""

    commits: dict[str, CommitInfo]
    complete: bool
    """Whether they are known already."""


MAX_KEPT: Final = 1_000_000
"""Characters of messages of commits, of folders that were shown last, and some for each entry."""
_last_commits: Final = RecentResults[LastCommits](MAX_KEPT)


async def last_commits(found: ResolvedCommit, path: str, seconds: float | None) -> LastCommits:
    """The newest commits of the entries of a folder; none after `seconds`: the walk goes on without the caller."""
    walk = log.latest_of_each(History(found.code.repo_path, found.id, tree_path(path)))
    try:
        ids = await asyncio.wait_for(walk, seconds)
    except TimeoutError:
        return LastCommits({}, False)
    key = f"{found.code.repo_path} {found.id} {path}".encode()
    if (kept := _last_commits.get(key)) is not None:
        return kept
    shown = {id_: show(ResolvedCommit(found.code, id_, id_)) for id_ in set(ids.values())}
    commits = LastCommits({name: shown[id_] for name, id_ in ids.items()}, True)
    _last_commits.put(key, commits, sum(len(commit.message) for commit in shown.values()) + 100 * len(ids))
    return commits


def entry_at(found: ResolvedCommit, path: str) -> Entry | None:
    """Returns the entry at this path of the commit; the root folder at the empty path."""
    commit = commit_of(found.code.repository, found.id)
    if not tree_path(path):
        return Entry(str(commit.tree_id), "", "tree", "", "040000")
    return trees.entry_at(commit, tree_path(path))


def read_pointer(blob: Blob) -> tuple[str, int] | None:
    """Digest and size of the LFS object that the file refers to."""
    return None if blob.data is None else pointers.read_pointer(blob.data)
