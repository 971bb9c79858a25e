"""The frame around the content of every page: the top bar, the navigation, and messages of the administrators."""

from collections.abc import Mapping
from functools import cache
from typing import Any, LiteralString

import msgspec

from mujina.accounts.users.profile.preferences import theme_of
from mujina.instance.broadcast_messages.entities import HAS_CURRENT, Broadcast, current
from mujina.kernel import clock
from mujina.kernel.db.transaction import Tx
from mujina.kernel.html.pages import Container, PageRequest
from mujina.kernel.permissions.actor import Actor, Kind
from mujina.kernel.product import Product
from mujina.planning.issues.filters import LISTED_ISSUES
from mujina.planning.todos.rules import read_todo
from mujina.review.merge_requests.filters import LISTED_REQUESTS
from mujina.web.frame.navigation import TITLES, Navigation, Section

MAX_COUNT = 100
"""The top bar counts up to here: `99+`."""


class TopBar(msgspec.Struct, frozen=True):
    """The values of the bar at the top."""

    has: Any
    """`bar.has("/search")`: whether that page exists."""
    me: Actor
    avatar: str
    """The path of the user's image; empty: none."""
    issues: int
    merge_requests: int
    todos: int
    kind: str = ""
    """project or group, if the page belongs to one."""
    id: int = 0
    path: str = ""
    new_issue: bool = False
    new_merge_request: bool = False
    new_subgroup: bool = False


class AreaBar(msgspec.Struct, frozen=True):
    """The values of the navigation of a project, a group or another area."""

    name: str
    sections: tuple[Section, ...]
    current: str
    """The label of the current entry."""
    id: int = 0
    path: str = ""
    """The path of the project or group; empty: another area."""
    avatar: str = ""
    parent_path: str = ""
    parent_name: str = ""


class Frame(msgspec.Struct, frozen=True):
    """The values of `layout.html`."""

    has: Any
    """`frame.has("/search")`: whether that page exists."""
    title: str
    """The name of the area, where it is no project and no group."""
    container: Container | None
    top: TopBar
    area: AreaBar | None
    """None: the page has no navigation beside it."""
    counts: Mapping[str, int]
    """The signed-in user's numbers of open issues, merge requests and to-dos."""
    broadcasts: list[Broadcast]
    theme: str = ""
    """light or dark, if the user chose one; empty: as the system says."""
    shortcuts: bool = True
    """Whether single keys do something."""


class UserHeader(msgspec.Struct, frozen=True):
    """The signed-in user's part of the top bar, and their preferences for pages."""

    avatar: str = ""
    counts: Mapping[str, int] = {}
    theme: str = ""
    shortcuts: bool = True
    has_broadcasts: bool = True
    """False: there are none; True also if that is not known."""


class Frames:
    """Makes the frame of each page."""

    def __init__(self, navigation: Navigation) -> None:
        self.navigation = navigation

    async def of(self, request: PageRequest) -> Frame:
        """The frame of the page that this request gets."""
        async with request.reading() as tx:
            header = UserHeader() if request.actor.anonymous else await _header(tx, request.actor)
            return self._frame(request, header, await current(tx, written=header.has_broadcasts))

    def bare(self, request: PageRequest) -> Frame:
        """The frame of an error page when the database cannot be asked."""
        return self._frame(request, UserHeader(), [])

    def _frame(self, request: PageRequest, header: UserHeader, broadcasts: list[Broadcast]) -> Frame:
        area, container = self.navigation.area_of(request), request.container
        shown = container.counts if container else header.counts
        sections = self.navigation.sections(area, request, shown) if area else ()
        title = TITLES.get(area, "") if area else ""
        return Frame(
            has=self.navigation.has, title=title, container=container, top=self._top(request, header),
            area=_area(title, container, sections) if sections else None, counts=header.counts,
            broadcasts=broadcasts, theme=header.theme, shortcuts=header.shortcuts,
        )  # fmt: skip

    def _top(self, request: PageRequest, header: UserHeader) -> TopBar:
        has, counts, container = self.navigation.has, header.counts, request.container
        bar = TopBar(
            has=has, me=request.actor, avatar=header.avatar, issues=counts.get("issues", 0),
            merge_requests=counts.get("merge_requests", 0), todos=counts.get("todos", 0),
        )  # fmt: skip
        if container is None:
            return bar
        rights = container.rights
        return msgspec.structs.replace(
            bar, kind=container.kind, id=container.row.id, path=container.path,
            new_issue=rights.get("nav /{project}/issues", False),
            new_merge_request=has("/{project}/merge_requests/new") and rights.get("new merge request", False),
            new_subgroup=rights.get("nav /groups/{group}/-/edit", False),
        )  # fmt: skip


def _area(title: str, container: Container | None, sections: tuple[Section, ...]) -> AreaBar:
    label = next((link.label for section in sections for link in section.links if link.current), "Menu")
    if container is None:
        return AreaBar(title, sections, label)
    return AreaBar(
        name=container.row.name, sections=sections, current=label, id=container.row.id, path=container.path,
        avatar=container.avatar, parent_path=container.parent_path, parent_name=container.parent_name,
    )  # fmt: skip


async def _header(tx: Tx, actor: Actor) -> UserHeader:
    row = await tx.row(
        tuple[str | None, int, bool, int, int, bool, bool],
        _header_text(actor.kind),
        limit=MAX_COUNT,
        now=clock.now(),
        **actor.bound,
    )
    if row is None:  # deleted a moment ago
        return UserHeader()
    picture, theme_id, shortcuts, issues, merge_requests, has_todos, has_broadcasts = row
    todos = await tx.value(_todos_text(tx.product, actor.kind), limit=MAX_COUNT, **actor.bound) if has_todos else 0
    avatar = f"/uploads/-/system/user/avatar/{actor.id}/{picture}" if picture else ""
    theme = theme_of(theme_id)
    counts = {"issues": issues, "merge_requests": merge_requests, "todos": todos}
    return UserHeader(avatar, counts, "" if theme == "auto" else theme, shortcuts, has_broadcasts)


# Two statements: SQLite's driver prepares one of more than 16 KB anew for each page, which takes 2 ms.
@cache
def _header_text(kind: Kind) -> LiteralString:
    return f"""
        SELECT u.avatar, u.theme_id, u.keyboard_shortcuts,
            ({LISTED_ISSUES.assigned_count(kind)}), ({LISTED_REQUESTS.assigned_count(kind)}),
            EXISTS (SELECT 1 FROM todos todo WHERE todo.user_id = :actor AND todo.state = 'pending'), {HAS_CURRENT}
        FROM users u WHERE u.id = :actor
    """


@cache
def _todos_text(product: Product, kind: Kind) -> LiteralString:
    return f"""
        SELECT count(*) FROM (
            SELECT 1 FROM todos todo WHERE todo.user_id = :actor AND todo.state = 'pending'
            AND {read_todo(product, kind).for_scan} LIMIT :limit) found
    """
