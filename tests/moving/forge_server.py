"""A small server that answers as another forge does: lists in pages, files, repositories; it notes who sent the token where."""

import json
from collections.abc import Mapping
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, Self
from urllib.parse import parse_qs, quote, urlencode, urlsplit

MAX_ITEMS = 2
"""Items of a page, whatever size is asked for: every list of three has a second page."""


class ForgeServer:
    """A forge of these answers.

    `answers`: path → an object, a list, which is given in pages, or a tuple, which is not.
    `files`: path → bytes, or the address of a redirect.
    """

    def __init__(self, prefix: str = "", *, repositories: Path | None = None) -> None:
        self.prefix, self.repositories = prefix, repositories
        self.answers: dict[str, Any] = {}
        self.files: dict[str, bytes | str] = {}
        self.asked: list[tuple[str, str]] = []
        """The path of each request, and what authorized it."""
        self.limited: list[Mapping[str, str]] = []
        """Headers of refusals that are still to be given."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}{self.prefix}"

    def __enter__(self) -> Self:
        served = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                status, headers, body = served.respond(self.path, dict(self.headers))
                self.send_response(status)
                for name, value in {"Content-Length": str(len(body)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                with suppress(ConnectionError):  # whoever asked has gone
                    self.wfile.write(body)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def respond(self, target: str, headers: Mapping[str, str]) -> tuple[int, Mapping[str, str], bytes]:
        parts, query = urlsplit(target), {name: values[-1] for name, values in parse_qs(urlsplit(target).query).items()}
        path = parts.path.removeprefix(self.prefix)
        sent = headers.get("Authorization") or headers.get("PRIVATE-TOKEN") or headers.get("X-Redmine-API-Key") or ""
        self.asked.append((path, sent))
        if self.limited and path in self.answers:
            return 403, self.limited.pop(), b"{}"
        if path in self.files:
            found = self.files[path]
            return (200, {}, found) if isinstance(found, bytes) else (302, {"Location": found}, b"")
        if path in self.answers:
            answer = self.answers[path]
            given = answer(query) if callable(answer) else answer
            return self._page(parts.path, query, given) if isinstance(given, list) else (200, {}, encoded(given))
        if self.repositories is not None and ".git/" in path:
            file = self.repositories / path.removeprefix("/")
            if file.is_file():
                return 200, {}, file.read_bytes()
        return 404, {}, b"{}"

    def _page(self, path: str, query: Mapping[str, str], items: list[Any]) -> tuple[int, Mapping[str, str], bytes]:
        size = min(int(query.get("limit", query.get("per_page", "30"))), MAX_ITEMS)
        page, last = int(query.get("page", "1")), -(-len(items) // size)
        base = f"http://elsewhere.example{quote(path)}"  # an address that is not asked
        links = [
            f'<{base}?{urlencode({**query, "page": number})}>; rel="{rel}"'
            for rel, number in (("next", page + 1), ("last", last))
            if page < last
        ]
        headers = {"Link": ", ".join(links)} if links else {}
        return 200, headers, encoded(items[(page - 1) * size : page * size])


def encoded(answer: Any) -> bytes:
    return json.dumps(answer).encode()
