"""Changed lines of a diff, by their numbers in the old or new file."""

import re
from collections.abc import Iterable, Iterator
from typing import Literal

import msgspec

from mujina.code.commits.operations import FileChange

Side = Literal["new", "old"]

_HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")


class Line(msgspec.Struct, frozen=True):
    """A line that a commit added or removed."""

    path: str
    line: int
    line_type: Side


def has_line(changes: Iterable[FileChange], line: Line) -> bool:
    """Whether these changes add the line, or remove it if its type is `old`."""
    return any(
        line.path == (change.new_path if line.line_type == "new" else change.old_path)
        and (line.line_type, line.line) in set(_changed_lines(change.diff))
        for change in changes
    )


def _changed_lines(diff: str) -> Iterator[tuple[Side, int]]:
    before = after = 0
    for text in diff.split("\n"):
        if hunk := _HUNK.match(text):
            before, after = int(hunk[1]), int(hunk[2])
        elif not before and not after:
            continue  # the header
        elif text.startswith("+"):
            yield "new", after
            after += 1
        elif text.startswith("-"):
            yield "old", before
            before += 1
        elif text.startswith(" "):
            before, after = before + 1, after + 1
