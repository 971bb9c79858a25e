"""What a text says it closes: `Fixes #4`, `closes group/project#1, #2 and #3`, `Resolves issue <its address>`."""

import re
from typing import Final

from mujina.planning.references.parsing import FARTHEST, ISSUE_TAIL, MOST, IssueReference

_WORD: Final = re.compile(
    r"\b(?:[Cc]los(?:e[sd]?|ing)|[Ff]ix(?:e[sd]|ing)?|[Rr]esolv(?:e[sd]?|ing)|[Ii]mplement(?:s|ed|ing)?)"
    r":?[ \t]+(?:issues?[ \t]+)?(?=\S)"
)
_NUMBER: Final = re.compile(r"([A-Za-z0-9_.][A-Za-z0-9_./-]*)?#(\d{1,18})(?!\w)")
_NEXT: Final = re.compile(r"[ \t]*,[ \t]*(?:and[ \t]+)?|[ \t]+and[ \t]+|[ \t]+")


def closed_by(text: str, address: str) -> list[IssueReference]:
    """The issues named after each closing word, each once; `address` is where this instance is reached."""
    spoken = text[:FARTHEST]
    found: dict[IssueReference, None] = {}
    for word in _WORD.finditer(spoken):
        at: int | None = word.end()
        while at is not None and (reference := _reference(spoken, at, address)):
            issue, end = reference
            found[issue] = None
            following = _NEXT.match(spoken, end)
            at = following.end() if following else None
    return list(found)[:MOST]


def _reference(text: str, at: int, address: str) -> tuple[IssueReference, int] | None:
    """The issue named at this place, and where its name ends."""
    if address and text.startswith(address, at):
        tail = ISSUE_TAIL.match(text, at + len(address))
        return (IssueReference(tail[1], int(tail[2])), tail.end()) if tail else None
    number = _NUMBER.match(text, at)
    if number is None:
        return None
    path: str | None = number[1]
    return IssueReference(path, int(number[2]), beside=path is not None and "/" not in path), number.end()
