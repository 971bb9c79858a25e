"""What verbs print: plain columns, which people read and scripts cut."""

from collections.abc import Sequence

GAP = "  "


def print_table(heads: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """One line for each row under a line of heads, in columns as wide as they need to be."""
    lines = [list(heads), *([_plain(cell) for cell in row] for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(heads))]
    for line in lines:
        print(GAP.join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())


def _plain(cell: object) -> str:
    """Nothing a user wrote may speak to the terminal."""
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    text = "" if cell is None else str(cell)
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)
