"""Where a page beyond the end of a list leads: its items may have been removed since the link was made."""

from collections.abc import Iterator
from typing import Any, cast

from mujina.kernel.html.pages import HtmlPage, PageRequest, Redirect
from mujina.kernel.http.paging import Paged


def last_page(request: PageRequest, page: HtmlPage) -> Redirect | None:
    """The last page of the lists that this page shows, if the visitor asks for one behind all of them."""
    if "page" not in request.query or request.http.method == "POST":
        return None
    lists = [found for value in page.context.values() for found in _lists(value) if found.total]
    if not lists or any(found.items for found in lists):
        return None
    last = max(-(-found.total // found.page.size) for found in lists)
    if any(found.page.number <= last for found in lists):
        return None
    query = request.link(page=last if last > 1 else None)
    return Redirect(f"{request.http.path}{query}" if query.startswith("?") else query)


def _lists(value: object) -> Iterator[Paged[Any]]:
    """The value itself, or the lists among its attributes."""
    if isinstance(value, Paged):
        yield cast("Paged[Any]", value)
        return
    for name in getattr(value, "__struct_fields__", ()):
        if isinstance(found := getattr(value, name), Paged):
            yield cast("Paged[Any]", found)
