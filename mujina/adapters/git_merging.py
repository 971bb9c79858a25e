"""Merges two commits in this process, without a work tree. The check and the merge use the same code, so they agree."""

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, cast

from mujina.adapters.git_objects import opened
from mujina.adapters.git_reading import is_large
from mujina.adapters.git_trees import TreeTooLarge, check_whole
from mujina.adapters.git_writing import Signer, sign
from mujina.kernel import deferred_imports

if TYPE_CHECKING:
    from pygit2 import Oid, Repository


class MergeConflict(Exception):
    """The two cannot be merged without a person."""


def is_mergeable(place: Path, ours: str, theirs: str) -> bool:
    """Whether the two merge without a conflict. Nothing is written to the repository."""
    pygit2 = deferred_imports.pygit2()
    with tempfile.TemporaryDirectory(prefix="merge-") as folder:
        scratch = pygit2.init_repository(folder, bare=True)
        scratch.odb.add_disk_alternate(str(place / "objects"))
        try:
            _merged(place, scratch, ours, theirs)
        except MergeConflict:
            return False
    return True


def merge(
    place: Path, ours: str, theirs: str, message: str, committer: Signer, squash: tuple[str, Signer] | None
) -> tuple[str, str | None]:
    """The ids of a new merge commit and, with `squash` (message and author), of the one commit that it merges instead."""
    repository = opened(place)
    tree = _merged(place, repository, ours, theirs)
    signature = sign(committer)
    merged = theirs
    if squash is not None:
        squash_message, author = squash
        merged = str(repository.create_commit(None, sign(author), signature, squash_message, tree, [ours]))
    commit = repository.create_commit(None, signature, signature, message, tree, [ours, merged])
    return str(commit), None if squash is None else merged


def _merged(place: Path, repository: "Repository", ours: str, theirs: str) -> "Oid":
    """The merged tree, written to `repository`, which has the objects of `place`."""
    pygit2 = deferred_imports.pygit2()
    flags = pygit2.enums.MergeFlag
    try:
        for commit_id in (ours, theirs):
            check_whole(place, commit_id)
    except TreeTooLarge as error:
        raise MergeConflict from error
    base = cast("Oid | None", repository.merge_base(pygit2.Oid(hex=ours), pygit2.Oid(hex=theirs)))
    if base is None:
        # Unrelated histories: the library would merge them without complaint.
        raise MergeConflict
    ancestor = repository[base].peel(pygit2.Tree)
    large = [
        {
            delta.new_file.raw_path
            for delta in ancestor.diff_to_tree(repository[id_].peel(pygit2.Tree)).deltas
            if is_large(repository, delta)
        }
        for id_ in (ours, theirs)
    ]
    if large[0] & large[1]:
        raise MergeConflict
    found = repository.merge_commits(
        pygit2.Oid(hex=ours), pygit2.Oid(hex=theirs), flags=flags(0) if any(large) else flags.FIND_RENAMES
    )
    if found.conflicts:
        raise MergeConflict
    return found.write_tree(repository)
