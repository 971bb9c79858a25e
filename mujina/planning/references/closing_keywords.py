"""Closing keywords: `Fixes #4`, `closes group/project#1, #2 and #3`, `Resolves issue <URL>`."""

from typing import Final

from mujina.kernel.text.deferred_patterns import deferred_pattern
from mujina.planning.references.parsing import ISSUE_PATH, MAX_PARSED_LENGTH, MAX_REFERENCES, IssueReference

_KEYWORD: Final = deferred_pattern(
    r"\b(?:[Cc]los(?:e[sd]?|ing)|[Ff]ix(?:e[sd]|ing)?|[Rr]esolv(?:e[sd]?|ing)|[Ii]mplement(?:s|ed|ing)?)"
    r":?[ \t]+(?=\S)"
)
_NOUN: Final = deferred_pattern(r"(?:issues?[ \t]+)?")
_NUMBER: Final = deferred_pattern(r"([A-Za-z0-9_.][A-Za-z0-9_./-]*)?#(\d{1,18})(?!\w)")
_URL_REST: Final = deferred_pattern(r"(?:[/?#]\S*)?")
_SEPARATOR: Final = deferred_pattern(r"[ \t]*,[ \t]*(?:and[ \t]+)?|[ \t]+and[ \t]+|[ \t]+")


def closed_by(text: str, base_url: str) -> list[IssueReference]:
    """The distinct issues named after closing keywords; `base_url` is the URL of this instance."""
    parsed = text[:MAX_PARSED_LENGTH]
    # A list contains no keyword, so every part of the text is read at most twice.
    found: dict[IssueReference, None] = {}
    for keyword in _KEYWORD.finditer(parsed):
        at: int | None = keyword.end()
        while at is not None and (reference := _reference(parsed, at, base_url)):
            issue, end = reference
            found[issue] = None
            separator = _SEPARATOR.match(parsed, end)
            at = separator.end() if separator else None
    return list(found)[:MAX_REFERENCES]


def _reference(text: str, at: int, base_url: str) -> tuple[IssueReference, int] | None:
    """The issue named at this position, and the position after its name."""
    if noun := _NOUN.match(text, at):
        at = noun.end()
    if base_url and text.startswith(base_url, at):
        path = ISSUE_PATH.match(text, at + len(base_url))
        return (IssueReference(path[1], int(path[2])), _end_of_url(text, path.end())) if path else None
    number = _NUMBER.match(text, at)
    if number is None:
        return None
    project: str | None = number[1]
    return IssueReference(project, int(number[2]), sibling=project is not None and "/" not in project), number.end()


def _end_of_url(text: str, at: int) -> int:
    """The end of an anchor or a query after the number; a comma or a period ends the URL."""
    rest = _URL_REST.match(text, at)
    return at + len(rest[0].rstrip(".,")) if rest else at
