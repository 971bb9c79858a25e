"""Requests to an application of this process, without a server."""

from collections.abc import Mapping
from typing import Any

import msgspec

from mujina.kernel.http.api import PREFIX
from mujina.kernel.http.applications import Application, ask_application
from mujina.seeds.operations import Ask


def requests_to(application: Application, token: str, host: str) -> Ask:
    """Asks the API of the application with the token of an administrator; `host` is its address."""

    async def ask(method: str, path: str, params: Mapping[str, Any], author: str | None) -> tuple[int, Any]:
        path, _, query = path.partition("?")
        body = msgspec.json.encode(params) if params else b""
        headers = [(b"host", host.encode()), (b"private-token", token.encode()), (b"content-type", b"application/json")]
        headers += [(b"content-length", b"%d" % len(body))] + ([(b"sudo", author.encode())] if author else [])
        status, _, answer = await ask_application(application, method, PREFIX + path, query, headers, body=body)
        return status, msgspec.json.decode(answer) if answer else None

    return ask
