"""The lines of changed files, read from libgit2's hunks: no patch text is parsed."""

from collections.abc import Callable, Collection
from pathlib import Path
from sys import maxsize
from time import monotonic
from typing import TYPE_CHECKING, Final, cast

import msgspec

from mujina.adapters.git.objects import opened
from mujina.adapters.git.reading import commits as reading
from mujina.adapters.git.reading.diffs import MAX_FILE_BYTES, MAX_FILES, MAX_SECONDS
from mujina.kernel import deferred_imports
from mujina.kernel.text.diffs import FilePatch, Hunk, PatchLine, Sign
from mujina.kernel.text.encodings import decode_line, decode_text, encoding_of

if TYPE_CHECKING:
    from pygit2 import DiffDelta, DiffHunk, Patch, Repository

MAX_TEXT: Final = 2_000
"""Characters of a line that are shown."""
MAX_COUNT_SECONDS: Final = 2
"""How long the lines of files beyond the listed ones are counted."""


class Patches(msgspec.Struct, frozen=True):
    """The changed files of a difference, and the lines of some of them."""

    files: list[FilePatch]
    """Up to a limit."""
    total: int | None
    """The number of all changed files; None: the trees differ too much to be compared."""
    additions: int
    deletions: int
    counted: bool
    """Whether the added and deleted lines of all changed files were counted in time."""


def patches(
    repo_path: Path,
    base: str | None,
    head: str,
    wanted: Callable[[int, str], bool] = lambda _, __: True,
    *,
    spaces: bool = True,
    max_bytes: int = MAX_FILE_BYTES,
) -> Patches:
    """The files that differ between two commits, up to the limits; all files of a first commit, without a base.

    `wanted`: by its number and path, whether the lines of a file are read. A file whose lines are not read, or are too
    many (a patch of more than `max_bytes`), is `too_large`. `spaces`: whether a change of white space alone counts.
    """
    repository = opened(repo_path)
    diff = reading.diff_between(repository, base, head, spaces=spaces)
    if diff is None:
        return Patches([], None, 0, 0, counted=False)
    files: list[FilePatch] = []
    deadline, additions, deletions, counted = monotonic() + MAX_SECONDS, 0, 0, True
    for n, delta in enumerate(diff.deltas):
        if n == MAX_FILES:
            deadline = min(deadline, monotonic() + MAX_COUNT_SECONDS)
        if not (counted := monotonic() < deadline):
            break
        patch = reading.patch_of(repository, diff, n, delta)
        if n < MAX_FILES:
            files.append(_file_patch(delta, patch, max_bytes if wanted(n, delta.new_file.path) else 0))
        _, added, deleted = (0, 0, 0) if patch is None else patch.line_stats
        additions, deletions = additions + added, deletions + deleted
    return Patches(files, len(diff), additions, deletions, counted)


def is_commit(repo_path: Path, id_: str) -> bool:
    """Whether the repository has a commit of this full id."""
    pygit2 = deferred_imports.pygit2()
    found = opened(repo_path).get(pygit2.Oid(hex=id_))
    return found is not None and found.type == pygit2.enums.ObjectType.COMMIT


def changed_files(
    repo_path: Path, base: str | None, head: str, new_paths: Collection[str], old_paths: Collection[str],
    max_bytes: int = maxsize,
) -> list[FilePatch]:  # fmt: skip
    """The files that differ between two commits and have one of these paths; `base` is None for a first commit."""
    repository = opened(repo_path)
    diff = reading.diff_between(repository, base, head)
    found: list[FilePatch] = []
    for n, delta in enumerate([] if diff is None else list(diff.deltas)):
        old_path, new_path = (side.raw_path.decode("utf-8", "replace") for side in (delta.old_file, delta.new_file))
        if diff is not None and (new_path in new_paths or old_path in old_paths):
            found.append(_file_patch(delta, reading.patch_of(repository, diff, n, delta), max_bytes))
    return found


def patches_of(repo_path: Path, base: str, head: str, paths: Collection[str]) -> dict[str, FilePatch]:
    """The changes of these files by path; those that both commits have alike, or that cannot be compared, are missing."""
    if not (is_commit(repo_path, base) and is_commit(repo_path, head)):
        return {}
    return {file.new_path: file for file in changed_files(repo_path, base, head, paths, (), MAX_FILE_BYTES)}


def _file_patch(delta: "DiffDelta", patch: "Patch | None", max_bytes: int) -> FilePatch:
    """`max_bytes`: of a patch whose lines are read; 0: they are not."""
    plain = reading.file_change(delta, None)
    binary = patch is not None and bool(patch.delta.is_binary)
    too_large = patch is None or not max_bytes or (not binary and len(patch.data) > max_bytes)
    _, additions, deletions = (0, 0, 0) if patch is None else patch.line_stats
    return FilePatch(
        old_path=plain.old_path, new_path=plain.new_path, a_mode=plain.a_mode, b_mode=plain.b_mode,
        new_file=plain.new_file, renamed_file=plain.renamed_file, deleted_file=plain.deleted_file,
        old_blob=None if plain.new_file else str(delta.old_file.id),
        new_blob=None if plain.deleted_file else str(delta.new_file.id),
        binary=binary, too_large=too_large, additions=additions, deletions=deletions,
        hunks=[] if patch is None or too_large or binary else _hunks(patch),
    )  # fmt: skip


def _hunks(patch: "Patch") -> list[Hunk]:
    encoding = encoding_of(patch.data)
    return [_hunk(hunk, encoding) for hunk in patch.hunks]


def _hunk(hunk: "DiffHunk", encoding: str) -> Hunk:
    lines: list[PatchLine] = []
    old, new = hunk.old_start, hunk.new_start
    for line in hunk.lines:
        sign = cast("Sign", line.origin if line.origin in "+- " else "\\")
        text = decode_line(line.raw_content, encoding).rstrip("\n").removesuffix("\r")[:MAX_TEXT]
        lines.append(
            PatchLine(
                sign=sign,
                old=old if sign in "- " else None,
                new=new if sign in "+ " else None,
                old_count=old,
                new_count=new,
                text=text.strip("\n"),
            )
        )
        old, new = old + (sign in "- "), new + (sign in "+ ")
    return Hunk(hunk.header.rstrip("\n"), lines)


def texts_of(repo_path: Path, blobs: list[str], max_bytes: int) -> dict[str, str]:
    """The texts of these blobs by id, without those that are larger, missing or no text."""
    repository = opened(repo_path)
    return {id_: text for id_ in blobs if (text := _text_of(repository, id_, max_bytes)) is not None}


def _text_of(repository: "Repository", id_: str, max_bytes: int) -> str | None:
    blob = reading.content_of(repository, id_)
    if blob is None or blob.data is None or blob.size > max_bytes or b"\0" in blob.data[:8_000]:
        return None
    return decode_text(blob.data)
