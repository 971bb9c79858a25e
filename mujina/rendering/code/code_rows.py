"""Source code as text with an empty anchor before each line: the style sheet writes its number, which is never copied."""

from collections.abc import Sequence

import msgspec

from mujina.kernel.http.paging import Page, Paged
from mujina.rendering.html import Html

PART_LINES = 2_000
"""Lines of a file on one page: a browser shows them at once."""


def numbered(lines: Sequence[str], first: int = 1) -> Html:
    """Numbers these lines of HTML; `#L10` is the tenth."""
    return Html("".join([f"<a id=L{n}></a>{line}\n" for n, line in enumerate(lines, first)]))


def part_of(lines: Sequence[str], page: Page) -> Paged[str]:
    """The lines of a file on this page; the last ones if it has fewer pages."""
    last = max(1, -(-len(lines) // PART_LINES))
    page = msgspec.structs.replace(page, number=min(page.number, last), size=PART_LINES)
    return Paged(lines[page.start : page.start + PART_LINES], len(lines), page)


def line_query(number: int) -> str:
    """The suffix of the address of a file that leads to this line: `?page=2#L2001`."""
    page = -(-number // PART_LINES)
    return f"?page={page}#L{number}" if page > 1 else f"#L{number}"
