"""What stands around the content of every page: the top bar, the navigation, and messages of the administrators."""

from collections.abc import Mapping
from functools import cache
from time import monotonic
from typing import Any, LiteralString

import msgspec

from mujina.accounts.users.preferences import theme_of
from mujina.instance.broadcast_messages.entities import Broadcast, current
from mujina.kernel.actor import ANONYMOUS, Actor
from mujina.kernel.db.transaction import Tx
from mujina.kernel.pages import Container, PageRequest
from mujina.planning.issues import filters as issues
from mujina.planning.todos.rules import READ_TODO
from mujina.review.merge_requests import filters as merge_requests
from mujina.web.navigation import TITLES, Link, Navigation

MAX_COUNT = 100
"""The top bar counts up to here: `99+`."""
BROADCAST_SECONDS = 60
"""A new broadcast message appears after this time at the latest."""


class Section(msgspec.Struct, frozen=True):
    """A heading of the navigation and its links."""

    title: str
    links: list[Link]


class Frame(msgspec.Struct, frozen=True):
    """The values of `layout.html`."""

    has: Any
    """`frame.has("/search")`: whether that page exists."""
    title: str
    """The name of the area, where it is no project and no group."""
    container: Container | None
    sections: list[Section]
    current: str
    """The label of the current entry."""
    counts: Mapping[str, int]
    """Of the signed-in user: open issues, merge requests and to-dos."""
    avatar: str
    """The path of the user's image; empty: none."""
    broadcasts: list[Broadcast]
    theme: str = ""
    """light or dark, if the user chose one; empty: as the system says."""
    shortcuts: bool = True
    """Whether single keys do something."""


class UserHeader(msgspec.Struct, frozen=True):
    """What the top bar shows of the signed-in user, and how they want pages."""

    avatar: str = ""
    counts: Mapping[str, int] = {}
    theme: str = ""
    shortcuts: bool = True


class Frames:
    """Makes the frame of each page; reads broadcast messages once a minute."""

    def __init__(self, navigation: Navigation) -> None:
        self.navigation = navigation
        self._broadcasts: list[Broadcast] = []
        self._read_at = -float(BROADCAST_SECONDS)

    async def of(self, request: PageRequest) -> Frame:
        """The frame of the page that this request gets."""
        async with request.reading() as tx:
            header = UserHeader() if request.actor.anonymous else await _header(tx, request.actor)
            if monotonic() - self._read_at > BROADCAST_SECONDS:
                self._broadcasts, self._read_at = await current(tx), monotonic()
        return self._frame(request, header)

    def bare(self, request: PageRequest) -> Frame:
        """The frame of an error page when the database cannot be asked."""
        return self._frame(request, UserHeader())

    def _frame(self, request: PageRequest, header: UserHeader) -> Frame:
        area = self.navigation.area_of(request)
        shown = request.container.counts if request.container else header.counts
        links = self.navigation.links(area, request, shown) if area else []
        titles = list(dict.fromkeys(link.section for link in links))
        sections = [Section(title, [link for link in links if link.section == title]) for title in titles]
        label = next((link.label for link in links if link.current), "Menu")
        title = TITLES.get(area, "") if area else ""
        return Frame(
            self.navigation.has, title, request.container, sections, label, header.counts, header.avatar,
            self._broadcasts, header.theme, header.shortcuts,
        )  # fmt: skip


async def _header(tx: Tx, actor: Actor) -> UserHeader:
    row = await tx.row(tuple[str | None, int, bool, int, int, int], _header_text(), limit=MAX_COUNT, **actor.bound)
    if row is None:  # deleted a moment ago
        return UserHeader()
    picture, theme_id, shortcuts, issues, merge_requests, todos = row
    avatar = f"/uploads/-/system/user/avatar/{actor.id}/{picture}" if picture else ""
    theme = theme_of(theme_id)
    counts = {"issues": issues, "merge_requests": merge_requests, "todos": todos}
    return UserHeader(avatar, counts, "" if theme == "auto" else theme, shortcuts)


@cache
def _header_text() -> LiteralString:
    """Made at the first request: what may be commented on is registered by then."""
    return f"""
        SELECT u.avatar, u.theme_id, u.keyboard_shortcuts,
            (SELECT count(*) FROM (SELECT 1 {issues.assigned(ANONYMOUS).text} LIMIT :limit) found),
            (SELECT count(*) FROM (SELECT 1 {merge_requests.assigned(ANONYMOUS).text} LIMIT :limit) found),
            (SELECT count(*) FROM (
                SELECT 1 FROM todos todo WHERE todo.user_id = :actor AND todo.state = 'pending'
                AND {READ_TODO.many} LIMIT :limit) found)
        FROM users u WHERE u.id = :actor
    """
