"""Requests to the application as a client types them, in this process, over raw ASGI: the path reaches the app undecoded."""

import asyncio
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple
from urllib.parse import quote, unquote

from tests.harness.canaries import CANARIES
from tests.harness.encoding import BOUNDARY, form_text, multipart

PREFIX = "/api/v4"
SHOWN = {"authorization", "private-token"}
"""Headers in which secrets come in; cookies were caught when they were made."""


class File(NamedTuple):
    """A parameter that is a file: a request with one is sent as a form of several parts."""

    name: str
    content: bytes


@dataclass(frozen=True)
class Raw:
    """A request said in the client's own bytes, where keyword parameters would say too little.

    `query` is appended as it stands, `body` sent as it stands with the content type `type`.
    """

    query: str = ""
    body: bytes = b""
    type: str = ""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])

    @classmethod
    def form(cls, **params: Any) -> "Raw":
        return cls(body=form_text(params).encode(), type="application/x-www-form-urlencoded")

    @classmethod
    def multipart(cls, files: Mapping[str, tuple[str, bytes]], **params: Any) -> "Raw":
        """Each file is `(name, content)`."""
        return cls(body=multipart(params, **files), type=f"multipart/form-data; boundary={BOUNDARY}")


class Headers(dict[str, str]):
    """Header values by name in any case; a header that came more than once is joined by ", "."""

    def __init__(self, pairs: list[tuple[bytes, bytes]]) -> None:
        super().__init__()
        for name, value in pairs:
            key = name.decode("latin-1").lower()
            text = value.decode("latin-1")
            super().__setitem__(key, f"{super().__getitem__(key)}, {text}" if key in self else text)

    def __getitem__(self, name: str) -> str:
        return super().__getitem__(name.lower())

    def __contains__(self, name: object) -> bool:
        return super().__contains__(str(name).lower())

    def get(self, name: str, default: Any = None) -> Any:
        return super().get(name.lower(), default)


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Headers
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    @cached_property
    def json(self) -> Any:
        return json.loads(self.body)

    def __repr__(self) -> str:
        return f"<{self.status} {self.body[:2000]!r}>"


@dataclass(frozen=True)
class Client:
    """One caller of one application. Reads take keyword parameters as the query, writes as a JSON body."""

    app: Any
    loop: asyncio.AbstractEventLoop
    token: str | None = None
    host: str = "mujina.test"

    def with_token(self, token: str | None) -> "Client":
        return replace(self, token=token)

    def get(self, path: str, /, raw: Raw = Raw(), **query: Any) -> Answer:
        return self.ask("GET", path, raw, query)

    def head(self, path: str, /, raw: Raw = Raw(), **query: Any) -> Answer:
        return self.ask("HEAD", path, raw, query)

    def options(self, path: str, /, raw: Raw = Raw(), **query: Any) -> Answer:
        return self.ask("OPTIONS", path, raw, query)

    def post(self, path: str, /, raw: Raw = Raw(), **body: Any) -> Answer:
        return self.ask("POST", path, raw, body)

    def put(self, path: str, /, raw: Raw = Raw(), **body: Any) -> Answer:
        return self.ask("PUT", path, raw, body)

    def patch(self, path: str, /, raw: Raw = Raw(), **body: Any) -> Answer:
        return self.ask("PATCH", path, raw, body)

    def delete(self, path: str, /, raw: Raw = Raw(), **body: Any) -> Answer:
        return self.ask("DELETE", path, raw, body)

    def ask(self, verb: str, path: str, raw: Raw = Raw(), params: Mapping[str, Any] | None = None) -> Answer:
        return self.loop.run_until_complete(self.exchange(verb, path, raw, params))

    async def exchange(self, verb: str, path: str, raw: Raw = Raw(), params: Mapping[str, Any] | None = None) -> Answer:
        """`path` is below `/api/v4` (unless it starts with `//`, then it is from the root) and may carry a query."""
        path, _, query = path.partition("?")
        queries = [query, raw.query]
        if params and verb in ("GET", "HEAD", "OPTIONS"):
            queries.append(form_text(params))
        elif params:
            body, type = _encoded(params)
            raw = replace(raw, body=body, type=type)
        path = path[1:] if path.startswith("//") else PREFIX + path
        return await self._exchange(verb, path, "&".join(filter(None, queries)), raw)

    async def _exchange(self, verb: str, path: str, query: str, raw: Raw) -> Answer:
        sent: list[dict[str, Any]] = []
        ended = asyncio.Event()
        body = iter([raw.body])

        async def receive() -> dict[str, Any]:
            for part in body:
                return {"type": "http.request", "body": part, "more_body": False}
            await ended.wait()
            return {"type": "http.disconnect"}

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)
            if message["type"] == "http.response.body" and not message.get("more_body"):
                ended.set()

        await self.app(self._scope(verb, path, query, raw), receive, send)
        start, *parts = (message for message in sent if message["type"].startswith("http.response."))
        answer = Answer(start["status"], Headers(start["headers"]), b"".join(part.get("body", b"") for part in parts))
        CANARIES.sweep_answer(verb, path, answer.headers, answer.body)
        return answer

    def _scope(self, verb: str, path: str, query: str, raw: Raw) -> dict[str, Any]:
        raw_path = quote(path, safe="/%:@!$&'()*+,;=~-._[]|").encode()
        return {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": "1.1",
            "method": verb,
            "scheme": "http",
            "path": unquote(raw_path.decode(), errors="replace"),
            "raw_path": raw_path,
            "query_string": query.encode(),
            "root_path": "",
            "headers": list(self._headers(raw)),
            "client": ("127.0.0.1", 50000),
            "server": (self.host, 80),
            "state": {},
        }

    def _headers(self, raw: Raw) -> Iterator[tuple[bytes, bytes]]:
        headers: dict[str, str] = {"host": self.host, "user-agent": "tests"}
        if self.token is not None:
            headers["private-token"] = self.token
        if raw.body:
            headers |= {"content-length": str(len(raw.body))}
        if raw.type:
            headers |= {"content-type": raw.type}
        headers |= {name.lower(): value for name, value in raw.headers.items()}
        for name in SHOWN & headers.keys():
            CANARIES.catch(headers[name], "a credential that was shown")
        for name, value in headers.items():
            yield name.encode("latin-1"), value.encode("latin-1")


def _encoded(params: Mapping[str, Any]) -> tuple[bytes, str]:
    """The body of a request and its content type."""
    files = {name: value for name, value in params.items() if isinstance(value, File)}
    if not files:
        return json.dumps(params).encode(), "application/json"
    form = Raw.multipart(files, **{name: value for name, value in params.items() if name not in files})
    return form.body, form.type
