"""Parses references to users, issues, merge requests and epics out of a text, in time linear in its length.

References in code, quotes and comments do not count.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import TypeVar

import msgspec

from mujina.kernel.text.deferred_patterns import deferred_pattern

_Found = TypeVar("_Found")

MAX_REFERENCES = 100
"""Further references of the same kind in one text are ignored."""

MAX_PARSED_LENGTH = 200_000
"""The rest of a longer text is not parsed: parsing must not block the event loop."""

_FENCE = deferred_pattern(r" {0,3}(`{3,}|~{3,})")
_COMMENT_MARK = deferred_pattern(r"(<!--(?:-?>)?|-->)")
"""`<!-->` and `<!--->` are whole comments, and end one that began before."""
_PRE = deferred_pattern(r" {0,3}<pre(?=[\s>]|$)")
_TICKS = deferred_pattern(r"`+")
_NAME = r"[A-Za-z0-9_.][A-Za-z0-9_.-]*"
_PATH = rf"{_NAME}(?:/{_NAME})*"
_MENTION = deferred_pattern(rf"(?<![\w@./`-])@({_PATH})")
_ADDRESS = deferred_pattern(rf"[\s,]*(?:and\s+)?@({_PATH})")
_NUMBERED = deferred_pattern(r"(?<![\w./#&-])([A-Za-z0-9_.][A-Za-z0-9_./-]*)?(#|(?<!!)!)(\d{1,18})(?!\w)")
_NUMBERED_PATH = deferred_pattern(r"/([A-Za-z0-9_.][A-Za-z0-9_./-]*?)/(?:-/)?(issues|merge_requests)/(\d{1,18})(?!\w)")
_EPIC = deferred_pattern(r"(?<![\w./#&-])([A-Za-z0-9_.][A-Za-z0-9_./-]*)?&(\d{1,18})(?!\w)")
_EPIC_PATH = deferred_pattern(r"/groups/([A-Za-z0-9_.][A-Za-z0-9_./-]*?)/-/epics/(\d{1,18})(?!\w)")
ISSUE_PATH = deferred_pattern(r"/([A-Za-z0-9_.][A-Za-z0-9_./-]*?)/(?:-/)?issues/(\d{1,18})(?!\w)")


class IssueReference(msgspec.Struct, frozen=True):
    """`#12`, `project#12`, `group/project#12`, or the URL of an issue."""

    path: str | None
    """The path of the project; None: the project of the text."""
    iid: int
    sibling: bool = False
    """The path is the name of a project in the same namespace as the project of the text."""


class MergeRequestReference(IssueReference, frozen=True):
    """`!12`, `project!12`, `group/project!12`, or the URL of a merge request."""


class EpicReference(msgspec.Struct, frozen=True):
    """`&12`, `group&12`, `group/subgroup&12`, or the URL of an epic."""

    path: str | None
    """The path of the group; None: the group of the text."""
    iid: int


class References(msgspec.Struct, frozen=True):
    users: list[str]
    """Distinct usernames, paths of groups, or `all`, as written."""
    addressed: list[str]
    """The users mentioned at the start of the text."""
    issues: list[IssueReference]
    merge_requests: list[MergeRequestReference]
    epics: list[EpicReference]

    def without(self, others: "References") -> "References":
        """The references that are not among the others."""
        return References(
            [name for name in self.users if name not in others.users],
            [name for name in self.addressed if name not in others.addressed],
            [issue for issue in self.issues if issue not in others.issues],
            [request for request in self.merge_requests if request not in others.merge_requests],
            [epic for epic in self.epics if epic not in others.epics],
        )


def parse(text: str, base_url: str) -> References:
    """The references of the text; `base_url` is the URL of this instance."""
    unquoted = without_code_and_quotes(text[:MAX_PARSED_LENGTH])
    users = [_trimmed(name) for name in _MENTION.findall(unquoted)]
    issues, requests = _numbered(unquoted, base_url)
    return References(
        _distinct(users), _distinct(_addressed(unquoted)), _distinct(issues), _distinct(requests),
        _distinct(_epics(unquoted, base_url)),
    )  # fmt: skip


def parse_all(texts: Iterable[str], base_url: str) -> References:
    """The references of all the texts; users at the start of any of them are addressed."""
    found = [parse(text, base_url) for text in texts]
    return References(
        _distinct([name for one in found for name in one.users]),
        _distinct([name for one in found for name in one.addressed]),
        _distinct([issue for one in found for issue in one.issues]),
        _distinct([request for one in found for request in one.merge_requests]),
        _distinct([epic for one in found for epic in one.epics]),
    )


def lines(text: str) -> Iterator[tuple[str, str | None]]:
    """Each line, and what of it the author says: nothing that is in a comment, in a code block or quoted with `>`.

    None: the whole line is in a code block or quoted.
    """
    written = text.splitlines()
    ends = max((number for number, line in enumerate(written) if "-->" in line), default=-1) if "<!--" in text else -1
    fence, preformatted, commented = "", False, False
    for number, line in enumerate(written):
        mark = _FENCE.match(line) if not commented and ("```" in line or "~~~" in line) else None
        if fence:
            if mark and mark[1].startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
            yield line, None
        elif preformatted or (not commented and "<pre" in line.lower() and _PRE.match(line.lower())):
            preformatted = "</pre" not in line.lower()
            yield line, None
        elif mark:
            fence = mark[1]
            yield line, None
        elif not commented and line.lstrip().startswith(">"):
            yield line, None
        elif commented or "<!--" in line:
            own, commented = _without_comments(line, commented=commented, closed=number < ends)
            yield line, own
        else:
            yield line, line


def without_code_and_quotes(text: str) -> str:
    """The text without code blocks, quoted lines, inline code and comments."""
    return _without_code("\n".join(own for _, own in lines(text) if own is not None))


def _without_comments(line: str, *, commented: bool, closed: bool) -> tuple[str, bool]:
    """The line without its comments, and whether the next line begins in one; `commented`: this line does.

    A comment lasts until it ends in this line or a later one (`closed`). One that never ends counts only if it begins the line.
    """
    parts = _COMMENT_MARK.split(line)
    ends = max((number for number, part in enumerate(parts) if part.endswith("-->")), default=-1)
    kept: list[str] = []
    blank, ticks = True, 0
    for number, part in enumerate(parts):
        begins = part.startswith("<!--") and ticks % 2 == 0 and (closed or number <= ends or blank)
        if commented or begins:
            commented = not part.endswith("-->")
            kept += [] if commented else [" "]
        else:
            kept.append(part)
            blank, ticks = blank and not part.strip(), ticks + part.count("`")
    return "".join(kept), commented


def _without_code(text: str) -> str:
    """Remove inline code; the next run of as many backticks closes a run."""
    runs = list(_TICKS.finditer(text))
    starts: dict[int, list[int]] = defaultdict(list)
    for run in runs:
        starts[len(run[0])].append(run.start())
    kept: list[str] = []
    at = 0
    for run in runs:
        if run.start() < at:
            continue
        same = starts[len(run[0])]
        closing = bisect_right(same, run.start())
        if closing < len(same):
            kept.append(text[at : run.start()])
            at = same[closing] + len(run[0])
    return "".join([*(f"{part} " for part in kept), text[at:]])


def _addressed(text: str) -> list[str]:
    names: list[str] = []
    at = 0
    while found := _ADDRESS.match(text, at):
        names.append(_trimmed(found[1]))
        at = found.end()
    return names


def _numbered(text: str, base_url: str) -> tuple[list[IssueReference], list[MergeRequestReference]]:
    issues: list[IssueReference] = []
    requests: list[MergeRequestReference] = []
    for path, sign, iid in _NUMBERED.findall(text):
        sibling = bool(path) and "/" not in path
        if sign == "#":
            issues.append(IssueReference(path or None, int(iid), sibling))
        else:
            requests.append(MergeRequestReference(path or None, int(iid), sibling))
    at = text.find(base_url) if base_url else -1
    while at >= 0:
        at += len(base_url)
        if found := _NUMBERED_PATH.match(text, at):
            if found[2] == "issues":
                issues.append(IssueReference(found[1], int(found[3])))
            else:
                requests.append(MergeRequestReference(found[1], int(found[3])))
        at = text.find(base_url, at)
    return issues, requests


def _epics(text: str, base_url: str) -> list[EpicReference]:
    found = [EpicReference(path or None, int(iid)) for path, iid in _EPIC.findall(text)] if "&" in text else []
    at = text.find(base_url) if base_url else -1
    while at >= 0:
        at += len(base_url)
        if epic := _EPIC_PATH.match(text, at):
            found.append(EpicReference(epic[1], int(epic[2])))
        at = text.find(base_url, at)
    return found


def _trimmed(name: str) -> str:
    """A period after a name ends the sentence."""
    return name.rstrip(".")


def _distinct(found: list[_Found]) -> list[_Found]:
    return list(dict.fromkeys(found))[:MAX_REFERENCES]
