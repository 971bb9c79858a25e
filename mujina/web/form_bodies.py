"""When the body of a form is read: at once if everybody may send one as short, otherwise for those whom its page admits."""

from typing import Final

from falcon.asgi import Request

from mujina.kernel.errors import ApiError
from mujina.kernel.http.bodies import read_body

MAX_SHORT_BYTES: Final = 64 * 1024
"""The limit for everyone: names, addresses, passwords, answers of an identity provider. Visitors send no more."""


def is_short(request: Request) -> bool:
    """Whether the body is as short as one that everybody may send, to the sign-in page for example."""
    return (request.content_length or 0) <= MAX_SHORT_BYTES and request.get_header("Transfer-Encoding") is None


async def receive(request: Request, max_size: int) -> None:
    """Read the form; what is wrong with it is told to those whom its page admits."""
    try:
        request.context.form = await read_body(request, max_size), None
    except ApiError as fault:
        request.context.form = {}, fault
