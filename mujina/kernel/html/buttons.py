"""Buttons of a page that change one thing without asking anything."""

from collections.abc import Callable

from mujina.kernel.html.pages import Function, PageRequest, form


def buttons(page: str, *names: str) -> Callable[[Function], Function]:
    """Forms without fields below a page, such as `/close` and `/reopen`."""

    def mark(handler: Function) -> Function:
        for name in names:
            form(f"{page}/{name}", again=page)(handler)
        return handler

    return mark


def pressed(request: PageRequest) -> str:
    """The name of the button."""
    assert request.route is not None
    return request.route.path.rpartition("/")[2]
