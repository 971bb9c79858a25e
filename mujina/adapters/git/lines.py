"""The lines of one changed file, as a diff shows them."""

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from mujina.adapters.git import reading
from mujina.adapters.git.objects import opened
from mujina.kernel import deferred_imports

if TYPE_CHECKING:
    from pygit2 import Commit, Patch, Repository


class DiffLine(msgspec.Struct, frozen=True):
    """A line of a diff: an added line has no old number, a removed one no new number."""

    old: int | None
    new: int | None
    old_count: int
    """The old number, or of an added line that of the next line of the old file."""
    new_count: int
    """The new number, or of a removed line that of the next line of the new file."""


class ChangedFile(msgspec.Struct, frozen=True):
    old_path: str
    new_path: str
    deleted: bool
    lines: list[DiffLine]
    """The lines that the diff shows, with their context; none of a binary or very large file."""


def is_commit(place: Path, id: str) -> bool:
    """Whether the repository has a commit of this full id."""
    pygit2 = deferred_imports.pygit2()
    found = opened(place).get(pygit2.Oid(hex=id))
    return found is not None and found.type == pygit2.enums.ObjectType.COMMIT


def changed_files(
    place: Path, base: str | None, head: str, new_paths: set[str], old_paths: set[str]
) -> dict[tuple[str, str], ChangedFile]:
    """The files that differ between two commits and have one of these paths, by both of their paths.

    `base` is None for a first commit.
    """
    pygit2 = deferred_imports.pygit2()
    repository = opened(place)
    before = None if base is None else repository[pygit2.Oid(hex=base)].peel(pygit2.Commit)
    after = repository[pygit2.Oid(hex=head)].peel(pygit2.Commit)
    return _changed_files(repository, before, after, new_paths, old_paths)


def _changed_files(
    repository: "Repository", before: "Commit | None", after: "Commit", new_paths: set[str], old_paths: set[str]
) -> dict[tuple[str, str], ChangedFile]:
    pygit2 = deferred_imports.pygit2()
    diff = reading.diff_of(repository, before, after)
    found: dict[tuple[str, str], ChangedFile] = {}
    for n, delta in enumerate([] if diff is None else list(diff.deltas)):
        old_path, new_path = (side.raw_path.decode("utf-8", "replace") for side in (delta.old_file, delta.new_file))
        if diff is not None and (new_path in new_paths or old_path in old_paths):
            patch = reading.patch_of(repository, diff, n, delta)
            deleted = delta.status == pygit2.enums.DeltaStatus.DELETED
            found[old_path, new_path] = ChangedFile(old_path, new_path, deleted, _lines(patch))
    return found


def _lines(patch: "Patch | None") -> list[DiffLine]:
    lines: list[DiffLine] = []
    for hunk in [] if patch is None else patch.hunks:
        old, new = hunk.old_start, hunk.new_start
        for line in hunk.lines:
            if line.origin == "+":
                lines.append(DiffLine(None, new, old, new))
                new += 1
            elif line.origin == "-":
                lines.append(DiffLine(old, None, old, new))
                old += 1
            elif line.origin == " ":
                lines.append(DiffLine(old, new, old, new))
                old, new = old + 1, new + 1
    return lines
