"""Which titles say that a merge request is not ready to be merged."""

import re

from mujina.kernel.text.deferred_patterns import deferred_pattern

_PREFIX = deferred_pattern(r"\s*(?:\[WIP\]|WIP:|WIP\s|\[Draft\]|\(Draft\)|Draft:)", re.IGNORECASE)


def is_draft(title: str) -> bool:
    """Whether the title begins with `WIP:`, `[WIP]`, `Draft:` or the like, in any case."""
    return _PREFIX.match(title) is not None


def without_draft(title: str) -> str:
    """The title without everything that says so."""
    while found := _PREFIX.match(title):
        title = title[found.end() :]
    return title.strip()


def shown_title(title: str) -> str:
    """The title as pages show it: that it is a draft stands beside it."""
    return without_draft(title) or title


def with_draft(title: str, *, draft: bool) -> str:
    """The title that says whether it is a draft; one that says so already stays as it is."""
    if draft:
        return title if is_draft(title) else f"WIP: {title}"
    return without_draft(title)


_UNFINISHED = deferred_pattern(r"\s*(?:\[WIP\]|WIP:|WIP\s)|.*(?:fixup|squash)! ", re.IGNORECASE)


def is_unfinished(commit_title: str) -> bool:
    """Whether the title of a commit says that more is to come."""
    return _UNFINISHED.match(commit_title) is not None
