"""Forms below the pages of issues, merge requests, snippets and epics."""

from collections.abc import Callable
from typing import TypeVar

from mujina.kernel.db.transaction import Tx
from mujina.kernel.html.pages import Handler, PageRequest, form, view
from mujina.kernel.http.params import Ref
from mujina.planning.noteables.addresses import find_noteable
from mujina.planning.noteables.kinds import Noteable, NoteableName, Purpose
from mujina.planning.page_scopes.scopes import scope_of

_PAGES: dict[NoteableName, str] = {
    "issue": "/{project}/issues/{iid:int}",
    "merge_request": "/{project}/merge_requests/{iid:int}",
    "snippet": "/{project}/snippets/{iid:int}",
    "epic": "/groups/{group}/-/epics/{iid:int}",
}

Function = TypeVar("Function", bound=Handler)


def noteable_form(
    suffix: str, again: str = "", *, without: NoteableName | None = None, **options: int
) -> Callable[[Function], Function]:
    """A form below the page of each of them; `again`: what follows the path of the view that shows it."""

    def mark(handler: Function) -> Function:
        for kind, page in _PAGES.items():
            if kind != without:
                form(f"{page}{suffix}", again=f"{page}{again}", **options)(handler)
        return handler

    return mark


def noteable_view(suffix: str) -> Callable[[Function], Function]:
    """A view below the page of each of them, for those who are signed in."""

    def mark(handler: Function) -> Function:
        for page in _PAGES.values():
            view(f"{page}{suffix}", anonymous=False)(handler)
        return handler

    return mark


def kind_of(request: PageRequest) -> NoteableName:
    """The kind whose page the request is below."""
    assert request.route is not None
    path = request.route.path
    return next(kind for kind, page in _PAGES.items() if path.startswith(page))


def page_of(request: PageRequest, iid: int) -> str:
    """The address of the page: `/group/project/issues/7`."""
    word = _PAGES[kind_of(request)].rsplit("/", 2)[1]
    return f"{scope_of(request).here}/{word}/{iid}"


async def find_shown(tx: Tx, request: PageRequest, iid: int, to: Purpose = "read") -> Noteable:
    """What the page shows, if the actor may read it or comment on it."""
    return await find_noteable(tx, request.actor, kind_of(request), Ref.of(scope_of(request).owner.id), iid, to=to)
