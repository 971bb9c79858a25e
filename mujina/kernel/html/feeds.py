"""Atom feeds (RFC 4287)."""

from collections.abc import Sequence
from typing import Final
from urllib.parse import urlsplit

import msgspec

from mujina.kernel.html.pages import HtmlPage
from mujina.kernel.http.paging import Page
from mujina.kernel.text.deferred_patterns import deferred_pattern
from mujina.kernel.urls import instance_address, web

ATOM: Final = "application/atom+xml; charset=utf-8"
FIRST: Final = Page(1, 20, {})
"""The content of a feed: its twenty newest entries."""
_NOT_XML = deferred_pattern("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


class FeedEntry(msgspec.Struct, frozen=True):
    id: str
    """A permanent name."""
    title: str
    address: str
    updated_at: str
    author: str
    text: str = ""


def permanent_id(kind: str, id: int, created_at: str) -> str:
    """The name of an entry that stays the same (RFC 4151)."""
    host = urlsplit(instance_address.get().base).hostname or "localhost"
    return f"tag:{host},{created_at[:10]}:{kind}/{id}"


def atom(title: str, page: str, entries: Sequence[FeedEntry]) -> HtmlPage:
    """The feed of the page at this path, newest first. Characters that XML cannot contain are left out."""
    shown = [
        msgspec.structs.replace(entry, title=_clean(entry.title), author=_clean(entry.author), text=_clean(entry.text))
        for entry in entries
    ]
    updated = max((entry.updated_at for entry in shown), default="1970-01-01T00:00:00Z")
    context = {"title": _clean(title), "address": web(page), "feed": web(f"{page}.atom"), "entries": shown}
    return HtmlPage("feed.atom", {**context, "updated_at": updated}, content_type=ATOM)


def _clean(text: str) -> str:
    return _NOT_XML.sub("", text)
