"""Changed files as rows of a table: old number, new number, sign, code; in one column or side by side."""

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Final, Literal

import msgspec

from mujina.kernel.text.diffs import FilePatch, PatchLine, line_code
from mujina.rendering.html import Html, escape_text

_TOKEN: Final = re.compile(r"<[^>]*>|&[^;]*;|[^<&]+")
_WORD: Final = re.compile(r"\w+|\s+|.", re.DOTALL)
_MARKED_PART: Final = 3
"""Divisor: two lines are compared word by word if at least one third of the longer is equal."""
_LINE_CLASSES: Final = {"+": " class=add", "-": " class=del", " ": "", "": ""}


class DiffRow(msgspec.Struct, frozen=True):
    """A row: the header of a hunk, a line, or git's remark about the end of a file."""

    kind: Literal["hunk", "line", "remark"]
    sign: str
    old: int | None
    new: int | None
    html: Html
    code: str = ""
    """The anchor of a line, as discussions name it."""


class RowPair(msgspec.Struct, frozen=True):
    """A row of the table with two sides; a header stands on the left alone."""

    left: DiffRow | None
    right: DiffRow | None


def rows_of(
    patch: FilePatch, old_lines: Sequence[str] | None = None, new_lines: Sequence[str] | None = None
) -> list[DiffRow]:
    """The rows of a file. The lines of both files, as HTML, give the code its colors."""
    rows: list[DiffRow] = []
    for hunk in patch.hunks:
        rows.append(DiffRow("hunk", "", None, None, escape_text(hunk.header)))
        marks = _marks_of(hunk.lines)
        for n, line in enumerate(hunk.lines):
            if line.sign == "\\":
                rows.append(DiffRow("remark", "", None, None, Html("No newline at end of file")))
                continue
            html = _colored(line, old_lines if line.sign == "-" else new_lines)
            if n in marks:
                html = mark_part(html, *marks[n], "ins" if line.sign == "+" else "del")
            code = line_code(patch.new_path, line.old_count, line.new_count)
            rows.append(DiffRow(kind="line", sign=line.sign, old=line.old, new=line.new, html=Html(html), code=code))
    return rows


def inline_row(row: DiffRow, link: str) -> Html:
    """Writes a row of a table in one column. End tags that HTML does not need are left out: there are thousands of rows.
    `link`: what the address behind a number starts with, as HTML; empty: numbers lead nowhere.
    """
    if row.kind != "line":
        return Html(f"<tr class=hunk><td colspan=4>{row.html}\n")
    old, new = (row.old if row.old is not None else ""), (row.new if row.new is not None else "")
    if link and row.new is None:
        old = f'<a href="{link}{row.code}">{old}</a>'
    elif link:
        new = f'<a href="{link}{row.code}">{new}</a>'
    numbers = f"<td class=n>{old}<td class=n>{new}"
    return Html(
        f"<tr{_LINE_CLASSES[row.sign]} id={row.code}>{numbers}<td class=sign>{row.sign}<td class=c>{row.html}\n"
    )


def side_by_side(rows: Sequence[DiffRow]) -> list[RowPair]:
    """Arranges the rows with removed lines on the left and added ones on the right, each run beside the other."""
    pairs: list[RowPair] = []
    removed: list[DiffRow] = []
    added: list[DiffRow] = []

    def flush() -> None:
        pairs.extend(RowPair(left, right) for left, right in zip_longest(removed, added))
        removed.clear()
        added.clear()

    for row in rows:
        if row.sign == "-":
            if added:
                flush()
            removed.append(row)
        elif row.sign == "+":
            added.append(row)
        else:
            flush()
            pairs.append(RowPair(row, row if row.kind == "line" else None))
    flush()
    return pairs


def _colored(line: PatchLine, lines: Sequence[str] | None) -> str:
    number = line.old if line.sign == "-" else line.new
    if lines is None or number is None or number > len(lines):
        return escape_text(line.text)
    return lines[number - 1]


def _marks_of(lines: Sequence[PatchLine]) -> dict[int, tuple[int, int]]:
    """Which part of a line differs from the line that it replaces: number of the line → start and end."""
    marks: dict[int, tuple[int, int]] = {}
    for removed, added in _replacements(lines):
        for old, new in zip(removed, added, strict=False):
            parts = changed_parts(lines[old].text, lines[new].text)
            if parts is not None:
                marks[old], marks[new] = parts
    return {n: part for n, part in marks.items() if part[0] < part[1]}


def _replacements(lines: Sequence[PatchLine]) -> Iterator[tuple[list[int], list[int]]]:
    """Runs of removed lines with the run of added ones that follows."""
    removed: list[int] = []
    added: list[int] = []
    for n, line in enumerate(lines):
        if line.sign == "+":
            added.append(n)
        elif line.sign == "-" and not added:
            removed.append(n)
        elif line.sign != "\\":
            yield removed, added
            removed, added = ([n], []) if line.sign == "-" else ([], [])
    yield removed, added


def changed_parts(old: str, new: str) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """The ranges between the words that both lines start with and those that both end with.

    None if they have little in common. Takes time linear in their length.
    """
    olds, news = _WORD.findall(old), _WORD.findall(new)
    start = 0
    while start < min(len(olds), len(news)) and olds[start] == news[start]:
        start += 1
    end = 0
    while end < min(len(olds), len(news)) - start and olds[-1 - end] == news[-1 - end]:
        end += 1
    before = len("".join(olds[:start]))
    after = len("".join(olds[len(olds) - end :]))
    equal = len("".join([*olds[:start], *olds[len(olds) - end :]]).strip())
    if equal * _MARKED_PART < max(len(old.strip()), len(new.strip())):
        return None
    return (before, len(old) - after), (before, len(new) - after)


def mark_part(html: str, start: int, end: int, tag: str) -> str:
    """The line with an element around some of its characters; elements of colors are closed and opened again around it."""
    written: list[str] = []
    color, at = "", 0
    marked = False
    for token in _TOKEN.findall(html):
        if token.startswith("<"):
            color = "" if token.startswith("</") else token
            written.append(token)
            continue
        for character in [token] if token.startswith("&") else token:
            if at == start:
                written.append(f"{color.replace('<', '</')}<{tag}>{color}")
                marked = True
            if at == end and marked:
                written.append(f"{color.replace('<', '</')}</{tag}>{color}")
                marked = False
            written.append(character)
            at += 1
    if marked:
        written.append(f"</{tag}>")
    return "".join(written)
