"""A request of the API, read from what the server hands over: falcon makes another object of it only for what it alone reads."""

from typing import TYPE_CHECKING, Any

from mujina.kernel import deferred_imports
from mujina.kernel.errors import ApiError
from mujina.kernel.http.requests.headers import headers_of

if TYPE_CHECKING:
    from falcon.asgi import BoundedStream, Request


class ApiRequest:
    """A request of the API, with those parts of falcon's that its handlers use."""

    __slots__ = ("_parsed", "content_type", "method", "path", "query_string", "receive", "scope", "sent")

    sent: dict[bytes, bytes]
    """The headers by name in lower case."""

    def __init__(self, scope: dict[str, Any], receive: Any) -> None:
        self.scope = scope
        self.sent = headers_of(scope)
        self.method: str = scope["method"]
        self.path: str = scope["path"]
        self.query_string: str = scope["query_string"].decode()
        self.content_type = self.get_header("Content-Type")
        self.receive = receive
        self._parsed: Request | None = None

    def get_header(self, name: str) -> str | None:
        """The value of a header as it was sent; None if it was not."""
        sent = self.sent.get(coded(name))
        return None if sent is None else sent.decode("latin-1")

    @property
    def content_length(self) -> int | None:
        """The length that the client announced; 400 if it is none."""
        sent = self.sent.get(b"content-length") or None
        if sent is not None and not sent.strip().isdigit():
            raise ApiError(400, {"message": "Invalid header value"})
        return None if sent is None else int(sent)

    @property
    def user_agent(self) -> str | None:
        return self.get_header("User-Agent")

    @property
    def scheme(self) -> str:
        return self.scope["scheme"]

    @property
    def remote_addr(self) -> str:
        """The address of the client or of the proxy before this server."""
        return (self.scope.get("client") or ("127.0.0.1", 0))[0]

    @property
    def cookies(self) -> "dict[str, str]":
        return dict(self._falcon.cookies)

    @property
    def bounded_stream(self) -> "BoundedStream":
        """The body, to be read in pieces."""
        return self._falcon.bounded_stream

    @property
    def _falcon(self) -> "Request":
        if self._parsed is None:
            self._parsed = deferred_imports.falcon_request()(self.scope, self.receive)
        return self._parsed


def coded(name: str) -> bytes:
    """The name of a header as ASGI has it."""
    return name.lower().encode("latin-1")
