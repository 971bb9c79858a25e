"""Forms below the pages of issues, merge requests, snippets, epics and commits."""

from collections.abc import Callable, Collection
from typing import Literal, TypeVar
from urllib.parse import quote

from mujina.kernel.db.transaction import Tx
from mujina.kernel.html.pages import Handler, PageRequest, form, view
from mujina.kernel.http.params import Ref
from mujina.planning.noteables.addresses import find_noteable
from mujina.planning.noteables.commits import find_commented
from mujina.planning.noteables.kinds import Noteable, NoteableName, Purpose
from mujina.planning.work_items.page_scopes import scope_of

ShownKind = Literal[NoteableName, "commit"]

_PAGES: dict[ShownKind, str] = {
    "issue": "/{project}/issues/{iid:int}",
    "merge_request": "/{project}/merge_requests/{iid:int}",
    "snippet": "/{project}/snippets/{iid:int}",
    "epic": "/groups/{group}/-/epics/{iid:int}",
    "commit": "/{project}/commit/{sha}",
}

Function = TypeVar("Function", bound=Handler)


def noteable_form(
    suffix: str, again: str = "", *, without: Collection[ShownKind] = (), **options: int
) -> Callable[[Function], Function]:
    """A form below the page of each of them; `again`: what follows the path of the view that shows it."""

    def mark(handler: Function) -> Function:
        for kind, page in _PAGES.items():
            if kind not in without:
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


def kind_of(request: PageRequest) -> ShownKind:
    """The kind whose page the request is below."""
    assert request.route is not None
    path = request.route.path
    return next(kind for kind, page in _PAGES.items() if path.startswith(page))


def page_of(request: PageRequest) -> str:
    """The address of the page: `/group/project/issues/7`."""
    word, capture = _PAGES[kind_of(request)].rsplit("/", 2)[1:]
    number = request.captured[capture.strip("{}").removesuffix(":int")]
    return f"{request.here}/{word}/{quote(number)}"


async def find_shown(tx: Tx, request: PageRequest, to: Purpose = "read") -> Noteable:
    """What the page shows, if the actor may read it or comment on it."""
    kind, ref = kind_of(request), Ref.of(scope_of(request).owner.id)
    if kind == "commit":
        return await find_commented(tx, request.actor, ref, request.captured["sha"], to)
    return await find_noteable(tx, request.actor, kind, ref, int(request.captured["iid"]), to=to)
