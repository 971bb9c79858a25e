"""Texts of forges that count issues and pulls in one series: here, `#5` is an issue and `!5` a merge request."""

import re
from collections.abc import Callable
from typing import Final

_REFERENCE: Final = re.compile(
    r"(?P<code>```.*?```|`[^`\n]*`)"
    r"|(?<![\w/.#!&-])(?P<path>[\w-][\w.-]*/[\w-][\w.-]*)?#(?P<number>[1-9][0-9]{0,9})(?![\w])"
    r"|(?<![\w/.#-])GH-(?P<gh>[1-9][0-9]{0,9})(?![\w])",
    re.DOTALL,
)
_HUNK: Final = re.compile(r"@@ -(\d{1,9})(?:,\d{1,9})? \+(\d{1,9})(?:,\d{1,9})? @@")

IsPull = Callable[[str, int], bool]
"""Whether the number of the project at this path is that of a pull."""


def rewrite_references(text: str, path: str, address: str, is_pull: IsPull) -> str:
    """The text in which references and addresses of pulls are those of merge requests; code stays as it is."""

    def reference(found: re.Match[str]) -> str:
        if found["code"] is not None:
            return found[0]
        number, project = int(found["number"] or found["gh"]), found["path"] or ""
        return f"{project}{'!' if is_pull(project or path, number) else '#'}{number}"

    def page(found: re.Match[str]) -> str:
        noun = "merge_requests" if is_pull(found[1], int(found[2])) else "issues"
        return f"{address}/{found[1]}/{noun}/{found[2]}"

    pages = re.compile(
        re.escape(address) + r"/([\w.-]+/[\w.-]+)/(?:pulls?|issues)/([1-9][0-9]{0,9})(?:#[\w-]*)?(?![\w/])"
    )
    return _REFERENCE.sub(reference, pages.sub(page, text))


def projects_in(text: str) -> set[str]:
    """The paths of other projects that references in the text name."""
    return {found["path"] for found in _REFERENCE.finditer(text) if found["path"]}


def line_of(hunk: str) -> tuple[int | None, int | None] | None:
    """The line of the old file and that of the new one at which a hunk ends; None if it is no hunk."""
    lines = hunk.rstrip("\n").split("\n")
    found = _HUNK.match(lines[0])
    if found is None or len(lines) < 2:
        return None
    old, new = int(found[1]) - 1, int(found[2]) - 1
    for line in lines[1:]:
        old += not line.startswith(("+", "\\"))
        new += not line.startswith(("-", "\\"))
    last = next((line for line in reversed(lines[1:]) if not line.startswith("\\")), " ")
    return None if last.startswith("+") else old, None if last.startswith("-") else new
