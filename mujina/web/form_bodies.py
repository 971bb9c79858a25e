"""When the body of a form is read: a short one at once, a long one only for users whom its page admits."""

from typing import Final

from falcon.asgi import Request

from mujina.kernel.errors import ApiError
from mujina.kernel.http.bodies import read_body

MAX_SHORT_BYTES: Final = 64 * 1024
"""The limit for everyone: names, addresses, passwords, answers of an identity provider. Visitors send no more."""


def is_short(request: Request) -> bool:
    """Whether anyone may send a body of this length, such as the form of the sign-in page."""
    return (request.content_length or 0) <= MAX_SHORT_BYTES and request.get_header("Transfer-Encoding") is None


async def receive(request: Request, max_size: int) -> None:
    """Read the form; its error is raised later, for users whom the page admits."""
    try:
        request.context.form = await read_body(request, max_size), None
    except ApiError as fault:
        request.context.form = {}, fault
