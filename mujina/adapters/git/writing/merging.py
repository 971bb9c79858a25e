"""Merges and rebases commits in this process, without a work tree. The check and the merge use the same code."""

import tempfile
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, cast

import msgspec

from mujina.adapters.git.objects import commit_of, commit_of_ref, create_commit, opened
from mujina.adapters.git.reading.trees import TreeTooLarge, check_whole
from mujina.adapters.git.writing.commits import Signer, sign
from mujina.adapters.git.writing.tree_merges import MergeConflict, merge_flags, merged_tree, tree_before
from mujina.kernel import deferred_imports
from mujina.kernel.storage.errors import explained

if TYPE_CHECKING:
    from pygit2 import Commit, Index, Oid, Repository


class Squash(msgspec.Struct, frozen=True):
    """One commit in place of several."""

    message: str
    author: Signer


class Merged(msgspec.Struct, frozen=True):
    """The result of a merge: where the branch goes, and the squashed commit, if there is one."""

    tip: str
    squashed: str | None


def is_mergeable(repo_path: Path, ours: str, theirs: str) -> bool:
    """Whether the two merge without a conflict. Nothing is written to the repository."""
    with _scratch(repo_path) as scratch:
        try:
            _merged(repo_path, scratch, ours, theirs)
        except MergeConflict:
            return False
    return True


@contextmanager
def _scratch(repo_path: Path) -> Generator["Repository"]:
    """A repository that has the objects of `repo_path`, and keeps to itself what is written to it."""
    with tempfile.TemporaryDirectory(prefix="merge-") as folder, explained(Path(folder)):
        scratch = deferred_imports.pygit2().init_repository(folder, bare=True)
        scratch.odb.add_disk_alternate(str(repo_path / "objects"))
        yield scratch


def conflicting_files(repo_path: Path, ours: str, theirs: str, limit: int) -> list[str]:
    """The paths of the first files that both sides changed in different ways; none if that is not known."""
    with _scratch(repo_path) as scratch:
        try:
            _check_sizes(repo_path, ours, theirs)
            found = _merge_commits(scratch, ours, theirs)
        except MergeConflict:
            return []
        # Of each file: the entries of the common ancestor and of both sides, as far as they have it.
        entries = islice(found.conflicts or (), limit)
        paths = {str(entry.path) for sides in entries for entry in sides if entry is not None}
        return sorted(path.encode("utf-8", "surrogateescape").decode("utf-8", "replace") for path in paths)


def merge(
    repo_path: Path, ours: str, theirs: str, committer: Signer, *, message: str | None, squash: Squash | None
) -> Merged:
    """Merge `theirs`, squashed or not, by a commit with this message; None: no merge commit, the branch moves on."""
    repository = opened(repo_path)
    signature = sign(committer)
    if message is None and squash is None:
        return Merged(theirs, None)
    with explained(repo_path):
        tree = _merged(repo_path, repository, ours, theirs)
        squashed = None
        if squash is not None:
            squashed = str(create_commit(repository, sign(squash.author), signature, squash.message, tree, [ours]))
        if message is None:
            return Merged(squashed or theirs, squashed)
        commit = create_commit(repository, signature, signature, message, tree, [ours, squashed or theirs])
    return Merged(str(commit), squashed)


def merge_at(repo_path: Path, ref: str, parents: list[str]) -> str | None:
    """The commit of the ref, if it joins exactly these parents; None otherwise."""
    tip = commit_of_ref(opened(repo_path), ref, skip_lost=True)
    return str(tip.id) if tip is not None and [str(id_) for id_ in tip.parent_ids] == parents else None


def rebase(repo_path: Path, commits: Sequence[str], onto: str, committer: Signer) -> str:
    """The tip after these commits, the oldest first, were applied to `onto`; those that change nothing are left out."""
    repository = opened(repo_path)
    _check_sizes(repo_path, onto, *commits[-1:])
    signature, tip = sign(committer), commit_of(repository, onto)
    with explained(repo_path):
        for id_ in commits:
            commit = commit_of(repository, id_)
            before = tree_before(repository, commit)
            tree = merged_tree(repository, before, tip.tree, commit.tree)
            if tree == tip.tree.id:
                continue
            # Author and message stay byte for byte, whatever their encoding.
            made = create_commit(
                repository, commit.author, signature, commit.raw_message, tree, [tip.id], _encoding(commit)
            )
            tip = commit_of(repository, str(made))
    return str(tip.id)


def _encoding(commit: "Commit") -> str:
    try:
        return commit.message_encoding or "utf-8"
    except ValueError:  # the header is not ASCII
        return "utf-8"


def _merged(repo_path: Path, repository: "Repository", ours: str, theirs: str) -> "Oid":
    """The merged tree, written to `repository`, which has the objects of `repo_path`."""
    _check_sizes(repo_path, ours, theirs)
    found = _merge_commits(repository, ours, theirs)
    if found.conflicts:
        raise MergeConflict
    return found.write_tree(repository)


def _merge_commits(repository: "Repository", ours: str, theirs: str) -> "Index":
    pygit2 = deferred_imports.pygit2()
    base = cast("Oid | None", repository.merge_base(pygit2.Oid(hex=ours), pygit2.Oid(hex=theirs)))
    if base is None:
        # Unrelated histories: the library would merge them without complaint.
        raise MergeConflict
    trees = (commit_of(repository, id_).tree for id_ in (str(base), ours, theirs))
    return repository.merge_commits(pygit2.Oid(hex=ours), pygit2.Oid(hex=theirs), flags=merge_flags(repository, *trees))


def _check_sizes(repo_path: Path, *commits: str) -> None:
    """A tree that is too large to be read as a whole is not merged."""
    try:
        for commit_id in commits:
            check_whole(repo_path, commit_id)
    except TreeTooLarge as error:
        raise MergeConflict from error
