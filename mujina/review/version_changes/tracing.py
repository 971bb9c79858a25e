"""Follows a line from one version of a merge request to the next."""

from collections.abc import Sequence

import msgspec

from mujina.kernel.text.diffs import FilePatch, line_code
from mujina.planning.discussions.positions import Position, TextPosition
from mujina.review.discussions.operations import PlacedPosition
from mujina.review.versions.rules import VersionRow

Files = Sequence[FilePatch]


class VersionDiffs(msgspec.Struct, frozen=True):
    """The facts that the positions of one version need to be found in the next one."""

    version: VersionRow
    heads: Files
    """The changes from the head before to the new head."""
    bases: Files
    """The changes from the base before to the new base."""
    shown: Files
    """The content of the new version."""


def trace(position: Position, diffs: VersionDiffs) -> PlacedPosition | None:
    """The position in the new version; None if it no longer shows the line."""
    ids = {"base_sha": diffs.version.base_sha, "start_sha": diffs.version.start_sha, "head_sha": diffs.version.head_sha}
    new_path, new_file = path_after(diffs.heads, position.new_path)
    old_path, old_file = path_after(diffs.bases, position.old_path)
    file = _shown(diffs.shown, old_path, new_path)
    if file is None:
        return None
    paths = {"old_path": file.old_path, "new_path": file.new_path}
    if not isinstance(position, TextPosition):
        return PlacedPosition(msgspec.structs.replace(position, **ids, **paths), None)
    # An unchanged line is on both sides; if the new one no longer has it, the request removes it now.
    new = None if position.new_line is None else line_after(new_file, position.new_line)
    old = None if position.old_line is None else line_after(old_file, position.old_line)
    by_new = next((line for line in file.lines if new is not None and line.new == new), None)
    line = by_new or next((line for line in file.lines if old is not None and line.old == old), None)
    if line is None:
        return None
    moved = msgspec.structs.replace(position, **ids, **paths, old_line=line.old, new_line=line.new)
    return PlacedPosition(moved, line_code(file.new_path, line.old_count, line.new_count))


def changed_line_code(position: Position, diffs: VersionDiffs) -> str | None:
    """The anchor of the line that the new version no longer has, in the diff from the version before."""
    if not isinstance(position, TextPosition):
        return None
    path, number, files = position.new_path, position.new_line, diffs.heads
    if number is None:
        path, number, files = position.old_path, position.old_line, diffs.bases
    file = path_after(files, path)[1]
    found = next((line for line in file.lines if line.old == number), None) if file else None
    return None if file is None or found is None else line_code(file.new_path, found.old_count, found.new_count)


def path_after(files: Files, path: str) -> tuple[str, FilePatch | None]:
    """The path that the file has afterward, and what changed in it."""
    file = next((file for file in files if file.old_path == path), None)
    return (path if file is None else file.new_path), file


def line_after(file: FilePatch | None, number: int) -> int | None:
    """The number of a line after the change of its file; None if the line was removed."""
    if file is None:
        return number
    if file.deleted_file:
        return None
    offset = 0
    for line in file.lines:
        if line.old == number:
            return line.new
        if line.old_count > number:
            break
        if line.old is None:
            offset += 1
        elif line.new is None:
            offset -= 1
    return number + offset


def _shown(files: Files, old_path: str, new_path: str) -> FilePatch | None:
    by_new = next((file for file in files if file.new_path == new_path), None)
    return by_new or next((file for file in files if file.old_path == old_path), None)
