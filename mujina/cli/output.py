"""Output of commands: plain columns that people can read and scripts can cut."""

import os
from collections.abc import Sequence

GAP = "  "


def print_table(headings: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print the headings and one line per row, in aligned columns."""
    lines = [list(headings), *([_plain(cell) for cell in row] for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(headings))]
    for line in lines:
        print(GAP.join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())


def discard_output() -> None:
    """Discards the rest of the output after its reader has gone, also at the end of the process."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _plain(cell: object) -> str:
    """Replace control characters: text of users must not control the operator's terminal."""
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    text = "" if cell is None else str(cell)
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)
