"""Requests to an application of this process, without a server."""

from collections.abc import Mapping
from typing import Any

import msgspec

from mujina.kernel.http.api import PREFIX
from mujina.kernel.http.applications import Application
from mujina.seeds.operations import Ask


def requests_to(application: Application, token: str, host: str) -> Ask:
    """Asks the API of the application with the token of an administrator; `host` is its address."""

    async def ask(method: str, path: str, params: Mapping[str, Any], author: str | None) -> tuple[int, Any]:
        path, _, query = path.partition("?")
        body = msgspec.json.encode(params) if params else b""
        headers = [(b"host", host.encode()), (b"private-token", token.encode()), (b"content-type", b"application/json")]
        headers += [(b"content-length", b"%d" % len(body))] + ([(b"sudo", author.encode())] if author else [])
        scope = {
            "type": "http", "http_version": "1.1", "method": method, "scheme": "http", "path": PREFIX + path,
            "raw_path": (PREFIX + path).encode(), "query_string": query.encode(), "root_path": "", "headers": headers,
            "client": ("127.0.0.1", 0), "server": (host, 0),
        }  # fmt: skip
        sent: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)

        await application(scope, receive, send)
        answer = b"".join(message.get("body", b"") for message in sent[1:])
        return sent[0]["status"], msgspec.json.decode(answer) if answer else None

    return ask
