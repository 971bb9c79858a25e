"""Merges trees in memory, for merges, rebases, cherry-picks and reverts."""

from typing import TYPE_CHECKING

from mujina.adapters.git.reading.commits import is_large
from mujina.kernel import deferred_imports

if TYPE_CHECKING:
    from pygit2 import Commit, Oid, Repository, Tree
    from pygit2.enums import MergeFlag


class MergeConflict(Exception):
    """The two cannot be merged without a person."""


def tree_before(repository: "Repository", commit: "Commit") -> "Tree":
    """The tree of the first parent; an empty one for a first commit."""
    if commit.parents:
        return commit.parents[0].tree
    return repository[repository.TreeBuilder().write()].peel(deferred_imports.pygit2().Tree)


def merged_tree(repository: "Repository", ancestor: "Tree", ours: "Tree", theirs: "Tree") -> "Oid":
    """The tree of `ours` with what changed between `ancestor` and `theirs`, or `MergeConflict`."""
    found = repository.merge_trees(ancestor, ours, theirs, flags=merge_flags(repository, ancestor, ours, theirs))
    if found.conflicts:
        raise MergeConflict
    return found.write_tree(repository)


def merge_flags(repository: "Repository", ancestor: "Tree", ours: "Tree", theirs: "Tree") -> "MergeFlag":
    """Renames are found unless large files changed; a large file that both sides changed is a conflict."""
    flags = deferred_imports.pygit2().enums.MergeFlag
    large = [
        {delta.new_file.raw_path for delta in ancestor.diff_to_tree(tree).deltas if is_large(repository, delta)}
        for tree in (ours, theirs)
    ]
    if large[0] & large[1]:
        raise MergeConflict
    return flags(0) if any(large) else flags.FIND_RENAMES
