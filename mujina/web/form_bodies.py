"""When the body of a form is read: at once if everybody may send one as short, otherwise for those whom its page admits."""

from falcon.asgi import Request

from mujina.kernel.bodies import read_body
from mujina.kernel.errors import ApiError
from mujina.kernel.pages import MAX_FORM_BYTES


def is_short(request: Request) -> bool:
    """Whether the body is as short as one that everybody may send, to the sign-in page for example."""
    return (request.content_length or 0) <= MAX_FORM_BYTES and request.get_header("Transfer-Encoding") is None


def is_awaited(request: Request) -> bool:
    """Whether this is a form whose body was not read yet."""
    return request.method == "POST" and not hasattr(request.context, "form")


async def receive(request: Request, max_size: int) -> None:
    """Read the form; what is wrong with it is told to those whom its page admits."""
    try:
        request.context.form = await read_body(request, max_size), None
    except ApiError as fault:
        request.context.form = {}, fault
