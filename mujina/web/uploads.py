"""Pictures that people uploaded, served so that a browser can do nothing with them but show them."""

import re
from collections.abc import Awaitable, Callable, Mapping
from pathlib import PurePosixPath
from typing import Any

from mujina.domains.users.avatars import TYPES, find_avatar
from mujina.kernel.house import House
from mujina.kernel.params import LARGEST

Application = Callable[..., Awaitable[None]]
Scope = Mapping[str, Any]
Head = list[tuple[bytes, bytes]]

_AVATAR = re.compile(r"/uploads/-/system/user/avatar/([0-9]{1,19})/([^/]{1,300})")
_SAFE: Head = [
    (b"x-content-type-options", b"nosniff"),
    (b"content-security-policy", b"default-src 'none'; sandbox"),
    (b"content-disposition", b"inline"),
    (b"cross-origin-resource-policy", b"cross-origin"),
    (b"cache-control", b"public, max-age=300"),
]


class Uploads:
    """Answers `/uploads/-/system/user/avatar/:id/:file`, and hands everything else on."""

    def __init__(self, application: Application, house: House) -> None:
        self._application = application
        self._house = house

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        """The ASGI application."""
        asked = _AVATAR.fullmatch(scope["path"]) if scope.get("method") in ("GET", "HEAD") else None
        if asked is None:
            await self._application(scope, receive, send)
            return
        status, head, body = await self._answer(int(asked[1]), asked[2], scope)
        await send({"type": "http.response.start", "status": status, "headers": head})
        await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})

    async def _answer(self, user_id: int, name: str, scope: Scope) -> tuple[int, Head, bytes]:
        if user_id > LARGEST or "\0" in name:
            return _missing()
        async with self._house.database.reading() as tx:
            key = await find_avatar(tx, user_id, name)
        kind = TYPES.get(PurePosixPath(name).suffix)
        if key is None or kind is None:
            return _missing()
        # Every new picture has a new name in the store, so that name is its tag.
        tag = f'"{PurePosixPath(key).stem}"'.encode()
        if (b"if-none-match", tag) in scope["headers"]:
            return 304, [*_SAFE, (b"etag", tag)], b""
        data = await self._house.files.get(key)
        if data is None:
            return _missing()
        length = str(len(data)).encode()
        return 200, [*_SAFE, (b"etag", tag), (b"content-type", kind.encode()), (b"content-length", length)], data


def _missing() -> tuple[int, Head, bytes]:
    return (
        404,
        [(b"content-type", b"text/plain; charset=utf-8"), (b"x-content-type-options", b"nosniff")],
        b"Not found\n",
    )
