"""Pages: `page`, `per_page`, exact totals, and links that can be followed and never carry a token."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Final, Generic, TypeVar, cast
from urllib.parse import quote, urlencode

import msgspec

from mujina.kernel import errors
from mujina.kernel.http.forms import Tree
from mujina.kernel.http.params import BadValue, read_integer

DEFAULT_SIZE = 20
MAX_SIZE = 100
MAX_PAGE = 10**12
"""The largest page number: more than any real page, and small enough that the offset fits 64 bits."""

MAX_LIST_TARGET = 3_600
"""Bytes of path and query, percent-encoded. `Link` repeats them up to four times, and many clients read 16 kB of headers."""
_ROOM_FOR_PAGE = 64
"""Further bytes for a query with `per_page`: what `Link` adds to a query never makes it too long."""
_ROOM_FOR_CURSOR = 1_600
"""Further bytes for a query with `cursor`, which at most one link repeats."""
_ENCODED = re.compile(rb"[^A-Za-z0-9_.~%&=-]")
"""A byte of a query that `Link` writes as three."""

_FAR = 1_000
"""Skipping fewer items is faster than counting the total first."""
_TARGET = "\0"
"""Where the number of a page goes in a link: no encoded query has this."""
SECRETS = frozenset(
    {"private_token", "access_token", "bearer_token", "job_token", "authenticity_token", "rss_token", "feed_token"}
)
"""Parameters that no link repeats."""
_NOT_IN_LINKS = SECRETS | {"page", "per_page", "cursor", "page_token"}


Item = TypeVar("Item")
Other = TypeVar("Other")


class Page(msgspec.Struct, frozen=True):
    """The page that a client requests."""

    number: int
    size: int
    tree: Tree
    """The query as given, for the links."""

    names: ClassVar = ("page", "per_page")

    @property
    def start(self) -> int:
        """How many items come before it."""
        return (self.number - 1) * self.size

    @property
    def far(self) -> bool:
        """Whether it is faster to count the total first and to read from the nearer end."""
        return self.start >= _FAR

    @property
    def bound(self) -> dict[str, int]:
        """The parameters `limit` and `offset`."""
        return {"limit": self.size, "offset": self.start}

    @property
    def end(self) -> int:
        """How many items of the list come up to the end of this page."""
        return self.number * self.size

    def of(self, items: Sequence[Item], total: int) -> "Paged[Item]":
        """The page with these items; `total` counts the items of the whole list."""
        return Paged(items, total, self)

    def before_next(self, items: Sequence[Item], last: Callable[[Item], Mapping[str, str]]) -> "KeysetPaged[Item]":
        """The items of a page that was read by keyset, with one more if there is a next page.

        `last`: the parameters that continue after an item.
        """
        shown = items[: self.size]
        return KeysetPaged(shown, 0, self, last(shown[-1]) if len(items) > self.size else None)

    @property
    def with_next(self) -> "Page":
        """The first page, and one item more, to know whether there is a next page."""
        return Page(1, self.size + 1, self.tree)

    def cut(self, items: Sequence[Item]) -> "Paged[Item]":
        """This page of a list that is in memory."""
        return Paged(items[self.start : self.end], len(items), self)


FIRST_PAGE: Final = Page(1, MAX_SIZE, {})
"""The start of a list, for HTML pages that show no more of it."""


class Paged(msgspec.Struct, Generic[Item], frozen=True):
    """One page of a list and how long the list is."""

    items: Sequence[Item]
    total: int
    page: Page

    def map(self, shown: Callable[[Item], Other]) -> "Paged[Other]":
        """Returns the page with each item replaced by `shown(item)`."""
        return self.with_items([shown(item) for item in self.items])

    def with_items(self, items: Sequence[Other]) -> "Paged[Other]":
        """Returns the page with these items instead."""
        return cast("Paged[Other]", msgspec.structs.replace(self, items=items))

    def headers(self, address: str) -> dict[str, str]:
        """The X- headers and Link, for the list at `address` (without query)."""
        number, size = self.page.number, self.page.size
        last = max(1, -(-self.total // size))
        before = number - 1 if 1 < number <= last else None
        after = number + 1 if number < last else None
        turns = [("prev", before), ("next", after), ("first", 1), ("last", last)]
        kept = [urlencode([pair], quote_via=quote) for pair in flatten(self.page.tree, *_NOT_IN_LINKS)]
        query, _, rest = "&".join(sorted([*kept, f"page={_TARGET}", f"per_page={size}"])).partition(_TARGET)
        links = [f'<{address}?{query}{target}{rest}>; rel="{turn}"' for turn, target in turns if target is not None]
        return {
            "Link": ", ".join(links),
            "X-Total": str(self.total),
            "X-Total-Pages": str(last),
            "X-Per-Page": str(size),
            "X-Page": str(number),
            "X-Next-Page": str(after or ""),
            "X-Prev-Page": str(before or ""),
        }


class KeysetPaged(Paged[Item], Generic[Item], frozen=True):
    """A page that follows a known item: without numbers and total, with a link to the next page unless it is the last."""

    following: Mapping[str, str] | None
    """The parameters that continue after it."""

    def headers(self, address: str) -> dict[str, str]:
        """Link, for the list at `address` (without query), and the token that follows the page of a tree."""
        if self.following is None:
            return {}
        token = self.following.get("page_token")
        kept = flatten(self.page.tree, *_NOT_IN_LINKS, *self.following)
        pairs = sorted([*kept, *self.following.items(), ("per_page", str(self.page.size))])
        link = f'<{address}?{urlencode(pairs, quote_via=quote)}>; rel="next"'
        return {"Link": link, "X-Next-Page-Token": token} if token else {"Link": link}


def read_page(tree: Tree) -> Page:
    """The requested page: zero and negative numbers are the first page, sizes are capped at the maximum."""
    number, size = _number(tree, "page", 1), _number(tree, "per_page", DEFAULT_SIZE)
    if size == 0:
        raise errors.unacceptable("per_page is invalid")
    if size < 0:
        size = DEFAULT_SIZE
    return Page(min(max(number, 1), MAX_PAGE), min(size, MAX_SIZE), tree)


def exceeds(scope: Mapping[str, Any], limit: int) -> bool:
    """Whether the path and query are longer, as `Link` writes them: a client that follows links is never refused."""
    query: bytes = scope["query_string"]
    size = len(scope.get("raw_path") or scope["path"]) + len(query)
    if size <= limit // 3:
        return False
    room = (_ROOM_FOR_PAGE if b"per_page=" in query else 0) + (_ROOM_FOR_CURSOR if b"cursor=" in query else 0)
    return size + 2 * len(_ENCODED.findall(query)) - room > limit


def _number(tree: Tree, name: str, default: int) -> int:
    value = tree.get(name)
    if value is None or value == "":
        return default
    try:
        return read_integer(value)
    except BadValue:
        raise errors.unacceptable(f"{name} is invalid") from None


def flatten(tree: Tree, *without: str) -> list[tuple[str, str]]:
    """A tree back in bracket form: names and values, as a query has them."""
    pairs: list[tuple[str, str]] = []
    for name, value in tree.items():
        if name not in without:
            _spell(name, value, pairs)
    return pairs


def _spell(name: str, value: Any, pairs: list[tuple[str, str]]) -> None:
    if isinstance(value, dict):
        for key, item in value.items():  # pyright: ignore[reportUnknownVariableType]
            _spell(f"{name}[{key}]", item, pairs)
    elif isinstance(value, list):
        for item in value:  # pyright: ignore[reportUnknownVariableType]
            _spell(f"{name}[]", item, pairs)
    else:
        pairs.append((name, str(value)))
