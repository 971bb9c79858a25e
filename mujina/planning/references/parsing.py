"""What a text refers to: people, issues. Linear in the length of the text, whatever is in it.

Code, quotes and comments speak for others, so nothing in them counts.
"""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import TypeVar

import msgspec

_Found = TypeVar("_Found")

MOST = 100
"""References of a kind that are followed from one text; what comes after them is passed over."""

FARTHEST = 200_000
"""How far into a text references are looked for: reading must never hold others up."""

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_TICKS = re.compile(r"`+")
_NAME = r"[A-Za-z0-9_.][A-Za-z0-9_.-]*"
_CALLED = rf"{_NAME}(?:/{_NAME})*"
_MENTION = re.compile(rf"(?<![\w@./`-])@({_CALLED})")
_ADDRESS = re.compile(rf"[\s,]*(?:and\s+)?@({_CALLED})")
_ISSUE = re.compile(r"(?<![\w./#&-])([A-Za-z0-9_.][A-Za-z0-9_./-]*)?#(\d{1,18})(?!\w)")
ISSUE_TAIL = re.compile(r"/([A-Za-z0-9_.][A-Za-z0-9_./-]*?)/(?:-/)?issues/(\d{1,18})(?!\w)")


class IssueReference(msgspec.Struct, frozen=True):
    """`#12`, `project#12`, `group/project#12`, or the address of an issue."""

    path: str | None
    """Of the project, from the root; None: the project of the text."""
    iid: int
    beside: bool = False
    """The path is the name of a project beside the project of the text."""


class References(msgspec.Struct, frozen=True):
    users: list[str]
    """Usernames, paths of groups, or `all`, as written, each once."""
    addressed: list[str]
    """Those with whom the text begins."""
    issues: list[IssueReference]


def read(text: str, address: str) -> References:
    """What the text refers to; `address` is where this instance is reached."""
    spoken = own_words(text[:FARTHEST])
    users = [_trimmed(name) for name in _MENTION.findall(spoken)]
    return References(_each_once(users), _each_once(_addressed(spoken)), _each_once(_issues(spoken, address)))


def read_each(texts: Iterable[str], address: str) -> References:
    """What the texts refer to together, each of them a beginning of its own."""
    found = [read(text, address) for text in texts]
    return References(
        _each_once([name for one in found for name in one.users]),
        _each_once([name for one in found for name in one.addressed]),
        _each_once([issue for one in found for issue in one.issues]),
    )


def lines(text: str) -> Iterator[tuple[str, bool]]:
    """Each line, and whether it is the author's own: not in a block of code, not quoted with `>`."""
    fence = ""
    for line in text.splitlines():
        mark = _FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
            yield line, False
        elif mark:
            fence = mark[1]
            yield line, False
        else:
            yield line, not line.lstrip().startswith(">")


def own_words(text: str) -> str:
    """The text without what is quoted in it: blocks of code, lines that begin with `>`, code in a line, comments."""
    return _without_code(_without_comments("\n".join(line for line, own in lines(text) if own)))


def _without_comments(text: str) -> str:
    kept: list[str] = []
    at = 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start)) >= 0:
        kept.append(text[at:start])
        at = end + len("-->")
    return " ".join([*kept, text[at:]])


def _without_code(text: str) -> str:
    """Code between backticks goes; a run of backticks is closed by the next run of its length."""
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


def _issues(text: str, address: str) -> list[IssueReference]:
    found: list[IssueReference] = []
    for path, iid in _ISSUE.findall(text):
        beside = bool(path) and "/" not in path
        found.append(IssueReference(path or None, int(iid), beside))
    at = text.find(address) if address else -1
    while at >= 0:
        at += len(address)
        if tail := ISSUE_TAIL.match(text, at):
            found.append(IssueReference(tail[1], int(tail[2])))
        at = text.find(address, at)
    return found


def _trimmed(name: str) -> str:
    """A full stop after a name ends the sentence."""
    return name.rstrip(".")


def _each_once(found: list[_Found]) -> list[_Found]:
    return list(dict.fromkeys(found))[:MOST]
