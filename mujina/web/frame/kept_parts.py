"""Parts of pages that are made once and kept: the bar at the top, the navigation, the form with the filters of a list.

They are the same on page after page, and together they take longer to render than the rows of a list. Such a part is a macro
that gets all it shows as values, which can be hashed; so it is never kept for longer than it is right. Of the request it gets
the form token alone, which is filled in for each response.
"""

from collections.abc import Callable, Mapping
from functools import lru_cache
from secrets import token_hex
from typing import Any

from mujina.kernel.html.pages import PageRequest
from mujina.rendering.html import Html

MAX_KEPT = 512
"""Parts that a process keeps; each takes a few kilobytes."""
_TOKEN = token_hex(32)
"""Where the form token goes. It is secret: no text of a user contains it."""

Macro = Callable[..., str]


class PlainRequest:
    """The stand-in for the request that a macro sees where no form was refused: every field shows its own value."""

    form_token = _TOKEN
    field_problems: Mapping[str, list[str]] = {}

    def kept(self, _name: str, otherwise: Any = "") -> Any:
        return otherwise


PLAIN = PlainRequest()


def kept(macro: Macro, request: PageRequest, *values: Any) -> str:
    """Renders the macro with these values, or returns an earlier result; templates call this instead of the macro."""
    if request.problems or request.again:
        return macro(request, *values)
    return Html(_made(macro, values).replace(_TOKEN, request.form_token))


@lru_cache(MAX_KEPT)
def _made(macro: Macro, values: tuple[Any, ...]) -> str:
    return macro(PLAIN, *values)
