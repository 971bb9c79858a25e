"""Finds the page of an address: its project, group or user by the longest path that is in use, the page by what follows.

    /group/sub/project/issues/7   the project `group/sub/project`, then the page `/{project}/issues/{iid:int}`
    /groups/group/sub/-/issues    the group `group/sub`, then the page `/groups/{group}/-/issues`
    /profile/keys                 a page of the instance: its first word is reserved

Falcon's router cannot match paths of unknown depth, so this stands in front of it.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Literal
from urllib.parse import unquote

import msgspec

from mujina.accounts.paths.reserved import TOP_LEVEL
from mujina.kernel import errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import NotFound
from mujina.kernel.html.page_arguments import CAPTURE
from mujina.kernel.html.pages import PageRoute
from mujina.kernel.text.folding import fold

MAX_DEPTH = 22
"""Segments of a project's path: twenty groups, the project, and one more."""
SUFFIXES = (".atom", ".keys", ".gpg", ".git")
"""May follow the path of a project, group or user without a slash."""

OwnerKind = Literal["project", "group", "username", ""]
"""The owner that a path starts with; empty: a page of the instance."""
_STARTS: tuple[tuple[str, OwnerKind], ...] = (
    ("/{project}", "project"), ("/groups/{group}", "group"), ("/{group}", "group"), ("/{username}", "username"),
)  # fmt: skip
_WILD = {"": r"[^/]+", "int": r"[0-9]{1,18}", "path": r".+"}


class Matched(msgspec.Struct, frozen=True):
    """The page at an address, by method, and the captures of the path."""

    verbs: Mapping[str, PageRoute]
    captured: Mapping[str, str]


class UrlOwner(msgspec.Struct, frozen=True):
    """The project, group or user at the start of an address, and what follows it."""

    kind: OwnerKind
    id: int
    """The id of the project or the group; 0 for a user."""
    path: str
    rest: str
    """`/issues/7`, `.atom`, or empty."""


class _Template(msgspec.Struct, frozen=True):
    rest: str
    order: tuple[bool, int, int, int]
    verbs: dict[str, PageRoute]


def starts_with(path: str) -> tuple[OwnerKind, str]:
    """The owner at the start of a page's path, and the rest of the path."""
    for start, owner in _STARTS:
        if path.startswith(start):
            return owner, path.removeprefix(start)
    return "", path


class Addresses:
    """Every page by its address."""

    def __init__(self, pages: Iterable[PageRoute]) -> None:
        self._views: dict[str, PageRoute] = {}
        found: dict[tuple[OwnerKind, str], dict[str, PageRoute]] = defaultdict(dict)
        for page in pages:
            found[starts_with(page.path)][page.verb] = page
            if page.verb == "GET":
                self._views[page.path] = page
        self._tables: dict[OwnerKind, dict[str, list[_Template]]] = defaultdict(lambda: defaultdict(list))
        for (owner, rest), verbs in found.items():
            self._tables[owner][_first(rest)].append(_Template(rest, _order(rest), verbs))
        for table in self._tables.values():
            for templates in table.values():
                templates.sort(key=lambda template: template.order)

    def view(self, path: str) -> PageRoute | None:
        """The view that declares this path."""
        return self._views.get(path)

    def match(self, owner: OwnerKind, rest: str) -> Matched | None:
        """The page of an owner at the rest of a path."""
        table = self._tables[owner]
        for template in [*table.get(_first(rest), ()), *table.get("{", ())]:
            if match := _pattern(template.rest).fullmatch(rest):
                return Matched(template.verbs, match.groupdict())
        return None

    @staticmethod
    def is_reserved(path: str) -> bool:
        """Whether the first word of the path cannot be the path of a user or group."""
        first = path.split("/", 2)[1]
        return not first or fold(first) in TOP_LEVEL


def _first(rest: str) -> str:
    """The first literal word of a rest, by which templates are found; `{` if it is a capture."""
    parts = rest.split("/")[1:]
    word = parts[1] if parts[:1] == ["-"] and len(parts) > 1 else parts[0] if parts else ""
    return "{" if "{" in word else word


@cache
def _pattern(rest: str) -> re.Pattern[str]:
    """Compiled when the first address is compared with it: a start does not wait for those of hundreds of pages."""
    parts: list[str] = []
    at = 0
    for capture in CAPTURE.finditer(rest):
        parts += [re.escape(rest[at : capture.start()]), f"(?P<{capture[1]}>{_WILD[capture[2] or '']})"]
        at = capture.end()
    return re.compile("".join([*parts, re.escape(rest[at:])]), re.DOTALL)


def _order(rest: str) -> tuple[bool, int, int, int]:
    """Exact words are tried before captures, single segments before whole tails, and two tails with words between before one."""
    captures = CAPTURE.findall(rest)
    tails = sum(kind == "path" for _, kind in captures)
    return tails > 0, -tails, sum(2 if kind == "" else 1 for _, kind in captures), -len(rest)


class _RouteRow(msgspec.Struct, array_like=True, frozen=True):
    path: str
    project_id: int | None
    namespace_id: int | None
    kind: str | None


class HiddenOwner(NotFound):
    """The visitor may not see what has the name: the address means what it would mean if the name were free."""


def decoded(path: str) -> str:
    """The path without percent-encoding; 404 if it is no text."""
    try:
        text = unquote(path, errors="strict")
    except UnicodeDecodeError:
        raise errors.unknown_route() from None
    if "\0" in text:
        raise errors.unknown_route()
    return text


async def find_url_owner(tx: Tx, path: str, *, of_group: bool, hidden: frozenset[str]) -> UrlOwner | None:
    """Finds the owner at the start of the path by one statement; `of_group`: the path stood behind `/groups`."""
    found = await _lookup(tx, path)
    whole = path.strip("/")
    for start in _prefixes(whole):
        row = found.get(fold(start))
        if row is None or row.path in hidden or (of_group and row.kind != "group"):
            continue
        rest = path[len(start) + 1 :]
        if row.project_id is not None:
            return UrlOwner("project", row.project_id, row.path, rest)
        assert row.namespace_id is not None
        if row.kind == "group":
            return UrlOwner("group", row.namespace_id, row.path, rest)
        return None if rest.startswith("/") else UrlOwner("username", 0, row.path, rest)
    return None


async def find_former_owner(tx: Tx, path: str) -> UrlOwner | None:
    """The project, group or user that had a path before, where it is now, by the longest path that is known."""
    starts = _prefixes(path.strip("/"))
    rows = await tx.rows(
        tuple[str, str, int | None, int | None, str | None],
        """SELECT f.path_folded,
             coalesce((SELECT r.path FROM routes r WHERE r.project_id = f.project_id),
                      (SELECT r.path FROM routes r WHERE r.namespace_id = f.namespace_id), ''),
             f.project_id, f.namespace_id, n.kind
           FROM former_paths f LEFT JOIN namespaces n ON n.id = f.namespace_id WHERE f.path_folded IN :paths""",
        paths=[fold(start) for start in starts],
    )
    found = {row[0]: row for row in rows if row[1]}
    for start in starts:
        if row := found.get(fold(start)):
            _, now, project_id, namespace_id, kind = row
            owner: OwnerKind = "project" if project_id is not None else "group" if kind == "group" else "username"
            return UrlOwner(owner, project_id or namespace_id or 0, now, path[len(start) + 1 :])
    return None


async def _lookup(tx: Tx, path: str) -> dict[str, _RouteRow]:
    starts = _prefixes(path.strip("/"))
    rows = await tx.rows(
        _RouteRow,
        """SELECT r.path, r.project_id, r.namespace_id, n.kind FROM routes r
           LEFT JOIN namespaces n ON n.id = r.namespace_id WHERE r.path_folded IN :paths""",
        paths=[fold(start) for start in starts],
    )
    return {fold(row.path): row for row in rows}


def _prefixes(path: str) -> list[str]:
    """Every path that may be in use at the start of this one, the longest first."""
    parts = path.split("/")[:MAX_DEPTH]
    whole = ["/".join(parts[:length]) for length in range(len(parts), 0, -1)]
    if len(path.split("/")) > MAX_DEPTH:
        return whole
    return [whole[0], *(whole[0].removesuffix(end) for end in SUFFIXES if whole[0].endswith(end)), *whole[1:]]
