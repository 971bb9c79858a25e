"""Lines of a difference, by the numbers they have in the file before or after it."""

import re
from collections.abc import Iterable, Iterator
from typing import Literal

import msgspec

from mujina.code.commits.operations import FileChange

Side = Literal["new", "old"]

_HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")


class Line(msgspec.Struct, frozen=True):
    """A line that a commit added or took away."""

    path: str
    line: int
    line_type: Side


def has_line(changes: Iterable[FileChange], wanted: Line) -> bool:
    """Whether these changes add the line, if it is a new one, or take it away."""
    return any(
        wanted.path == (change.new_path if wanted.line_type == "new" else change.old_path)
        and (wanted.line_type, wanted.line) in set(_changed(change.diff))
        for change in changes
    )


def _changed(diff: str) -> Iterator[tuple[Side, int]]:
    before = after = 0
    for text in diff.split("\n"):
        if hunk := _HUNK.match(text):
            before, after = int(hunk[1]), int(hunk[2])
        elif not before and not after:
            continue  # the names of the files
        elif text.startswith("+"):
            yield "new", after
            after += 1
        elif text.startswith("-"):
            yield "old", before
            before += 1
        elif text.startswith(" "):
            before, after = before + 1, after + 1
