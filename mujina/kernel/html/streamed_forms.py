"""Forms whose handlers read long bodies themselves, as they arrive (`@form(…, streamed=True)`)."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from mujina.kernel import errors, secrets
from mujina.kernel.html.pages import PageRequest
from mujina.kernel.http.dispatcher import SESSION_COOKIE

if TYPE_CHECKING:
    from falcon.asgi import Request


def is_awaited(request: "Request") -> bool:
    """Whether this is a form whose body was not read yet: short ones are read before their page is known."""
    return request.method == "POST" and not hasattr(request.context, "form")


def take_form(request: PageRequest, fields: Mapping[str, str]) -> None:
    """Take over the fields of a body that the handler has read; a form that is not ours is refused."""
    request.tree = {**request.query, **fields}
    check_form_token(request)


def check_form_token(request: PageRequest) -> None:
    """Refuse a form that another site may have made."""
    token = request.tree.get("authenticity_token") or request.http.get_header("X-CSRF-Token")
    cookie = request.http.cookies.get(SESSION_COOKIE, "")
    if not isinstance(token, str) or not secrets.is_form_token(cookie, token):
        raise errors.stale_form()
