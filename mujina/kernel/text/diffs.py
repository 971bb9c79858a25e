"""The difference of two files as lines: what git's reader hands to the code that shows it."""

import hashlib
from typing import Literal

import msgspec

Sign = Literal["+", "-", " ", "\\"]
"""Added, removed, unchanged; a backslash for the remark that a file ends without a line break."""


class PatchLine(msgspec.Struct, frozen=True):
    """A line of a patch: an added line has no old number, a removed one no new number."""

    sign: Sign
    old: int | None
    new: int | None
    old_count: int
    """The old number, or of an added line that of the next line of the old file."""
    new_count: int
    """The new number, or of a removed line that of the next line of the new file."""
    text: str


class Hunk(msgspec.Struct, frozen=True):
    """Lines that follow one another, with the header that git writes above them."""

    header: str
    lines: list[PatchLine]


class FilePatch(msgspec.Struct, frozen=True, kw_only=True):
    """The change of one file."""

    old_path: str
    new_path: str
    old_blob: str | None
    """None: there was no file."""
    new_blob: str | None
    a_mode: str
    b_mode: str
    new_file: bool
    renamed_file: bool
    deleted_file: bool
    binary: bool
    too_large: bool
    """Its lines are left out."""
    additions: int
    deletions: int
    hunks: list[Hunk]

    @property
    def lines(self) -> list[PatchLine]:
        """Its lines with their context, without remarks about the end of a file; none of a binary or very large file."""
        return [line for hunk in self.hunks for line in hunk.lines if line.sign != "\\"]

    @property
    def anchor(self) -> str:
        """The id of the file on pages."""
        return file_code(self.new_path)


def file_code(path: str) -> str:
    return hashlib.sha1(path.encode(), usedforsecurity=False).hexdigest()


def line_code(path: str, old: int, new: int) -> str:
    """The anchor of a line on pages and in hooks."""
    return f"{file_code(path)}_{old}_{new}"
