"""Pages on PostgreSQL: the plan of a list must not depend on how long the list is.

A prepared statement is planned once, before its values are known, and for `LIMIT $1 OFFSET $2` PostgreSQL then expects a
tenth of all rows. So it collects, hashes and sorts a whole table for a page that twenty steps along an index would give.
A number in the text is known to the planner. The number says how far the page reaches, rounded up, so that each statement
has a few texts; the exact limit and offset stay bound, around it.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

_REACHES = (20, 100, 1_000, 10_000, 100_000, 1_000_000)
_LARGEST_PAGE = 100

_PAGE = re.compile(r"LIMIT (?P<limit>\$\d+) OFFSET (?P<offset>\$\d+)", re.IGNORECASE)
_BRACKETS = re.compile(r"""'(?:[^']|'')*' | "(?:[^"]|"")*" | [()]""", re.VERBOSE)


@dataclass(frozen=True, slots=True)
class PageTexts:
    """The texts of one statement that ends in `LIMIT :limit OFFSET :offset`, or has a subquery that does."""

    before: str
    query: str
    """The query with this end, without it."""
    after: str
    limit: str
    offset: str
    _known: dict[int | None, str] = field(default_factory=dict[int | None, str])

    def text(self, bound: Mapping[str, Any]) -> str:
        """The text for the page that is bound."""
        end: int = bound["limit"] + bound["offset"]
        reach = next((reach for reach in _REACHES if end <= reach), None)
        if (known := self._known.get(reach)) is None:
            known = self._known[reach] = self._spell(reach)
        return known

    def _spell(self, reach: int | None) -> str:
        reached = self.query if reach is None else f"{self.query}LIMIT {reach}"
        page = f"SELECT * FROM ({reached}) reached LIMIT {self.limit} OFFSET {self.offset}"
        if reach is None or reach > _LARGEST_PAGE:  # what joins the page expects no more rows than a page has
            page = f"SELECT * FROM ({page}) page LIMIT {_LARGEST_PAGE}"
        return f"{self.before}{page}{self.after}"


def page_texts(text: str) -> PageTexts | None:
    """The texts of a statement with one page; None for others."""
    pages = [*_PAGE.finditer(text)]
    if len(pages) != 1:
        return None
    [page] = pages
    start = _start(text, page.start())
    return PageTexts(text[:start], text[start : page.start()], text[page.end() :], page["limit"], page["offset"])


def _start(text: str, end: int) -> int:
    """Where the query begins that contains position `end`: at the start of the text, or after its opening bracket."""
    opened = [0]
    for bracket in _BRACKETS.finditer(text, 0, end):
        if bracket[0] == "(":
            opened.append(bracket.end())
        elif bracket[0] == ")":
            opened.pop()
    return opened[-1]
