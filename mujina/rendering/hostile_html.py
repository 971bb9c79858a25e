"""Finds HTML that would cost a parser far more than its length: deep nesting, and formatting that every block repeats."""

import re
from typing import Final

MAX_WORK: Final = 3_000_000
"""Steps: for each tag, the open elements above it. A parser looks through all of them."""
MAX_REPEATED: Final = 300_000
"""The open formatting elements, summed over the tags: HTML repeats unclosed ones in every block that follows."""

_TAG: Final = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)")
_NOT_NESTED: Final = frozenset(
    "area base br col embed hr img input link meta source track wbr p li td th tr dt dd option".split()  # noqa: SIM905
)
"""Elements without content, and those that the next one of their kind closes."""
_FORMATTING: Final = frozenset("a b big code em font i nobr s small strike strong tt u".split())  # noqa: SIM905


def is_too_deep(html: str) -> bool:
    """Whether parsing this takes too long; decided in time linear in its length."""
    open_elements: dict[str, int] = {}
    depth = formatting = work = repeated = 0
    for closing, name in _TAG.findall(html):
        tag = name.lower()
        work += depth
        repeated += formatting
        if tag in _NOT_NESTED or (closing and not open_elements.get(tag)):
            continue
        step = -1 if closing else 1
        open_elements[tag] = open_elements.get(tag, 0) + step
        depth += step
        formatting += step if tag in _FORMATTING else 0
    return work > MAX_WORK or repeated > MAX_REPEATED
