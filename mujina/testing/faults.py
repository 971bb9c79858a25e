"""Faults that a test asks for: errors, delays and broken connections, by method and path."""

import asyncio
from fnmatch import fnmatchcase
from http import HTTPStatus
from typing import Annotated, Any, Final

import msgspec

from mujina.kernel.http.applications import Application

METHODS: Final = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")


class Fault(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True):
    """What happens to requests of this method and path, in the place of their response."""

    path: str = "*"
    """A pattern: `*` stands for any characters, `/` among them."""
    method: str = "*"
    status: Annotated[int, msgspec.Meta(ge=400, le=599)] | None = None
    """The status to answer with."""
    retry_after: Annotated[int, msgspec.Meta(ge=0, le=10**9)] | None = None
    """Seconds, for the header `Retry-After`."""
    delay: Annotated[float, msgspec.Meta(ge=0, le=600)] = 0
    """Seconds to wait first."""
    close: bool = False
    """The request is carried out, and the connection ends in the middle of its response."""
    times: Annotated[int, msgspec.Meta(ge=1)] | None = None
    """How many requests get it; unset: all."""
    every: Annotated[int, msgspec.Meta(ge=1)] = 1
    """It happens to every n-th of the requests that match."""
    seen: int = 0
    """The number of requests that matched so far, which the server counts."""

    def __post_init__(self) -> None:
        """Refuse what would never happen, or not as it is written."""
        if self.status is None and not self.close and not self.delay:
            raise ValueError("a fault needs `status`, `delay` or `close`")
        if self.status is not None and self.close:
            raise ValueError("a fault has `status` or `close`, not both")
        if self.retry_after is not None and self.status is None:
            raise ValueError("`retry_after` needs `status`")
        if not self.path.startswith(("/", "*")):
            raise ValueError("`path` begins with `/` or `*`")
        if not any(fnmatchcase(method, self.method.upper()) for method in METHODS):
            raise ValueError(f"`method` matches none of {', '.join(METHODS)}")


class Faults:
    """The faults in force; the first that matches a request is the one that it gets."""

    def __init__(self) -> None:
        self.all: list[Fault] = []

    def find(self, method: str, path: str) -> Fault | None:
        """The fault of this request, which is counted."""
        for fault in self.all:
            if fnmatchcase(path, fault.path) and fnmatchcase(method, fault.method.upper()):
                fault.seen += 1
                happens = fault.seen % fault.every == 0
                if happens and (fault.times is None or fault.seen // fault.every <= fault.times):
                    return fault
        return None


async def apply(fault: Fault, application: Application, scope: dict[str, Any], receive: Any, send: Any) -> None:
    """Answer the request as the fault has it."""
    await asyncio.sleep(fault.delay)
    if fault.status is not None:
        await send_error(send, fault.status, retry_after=fault.retry_after)
    elif fault.close:
        await application(scope, receive, _HalfResponse(send).send)
    else:
        await application(scope, receive, send)


class _HalfResponse:
    """Sends a response up to the middle of its first piece."""

    def __init__(self, send: Any) -> None:
        self._send = send

    async def send(self, message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            await self._send(message)
            return
        body = message.get("body", b"")
        await self._send({"type": "http.response.body", "body": body[: len(body) // 2], "more_body": True})
        raise ConnectionAbortedError("the connection ends here, as a fault demands")


async def send_error(send: Any, status: int, sentence: str = "", retry_after: int | None = None) -> None:
    """Answer with this status, and the sentence that says why."""
    phrase = HTTPStatus(status).phrase if status in set(HTTPStatus) else "Error"
    body = msgspec.json.encode({"message": f"{status} {phrase}{sentence and f' - {sentence}'}"})
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    if retry_after is not None:
        headers.append((b"retry-after", b"%d" % retry_after))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
