"""Files that people uploaded, each by access, served so that a browser can do nothing with them but show or save them."""

import re
from collections.abc import Awaitable, Callable, Mapping
from pathlib import PurePosixPath
from typing import Any

import msgspec
from falcon.asgi import Request

from mujina.accounts.users.avatars import TYPES, find_avatar
from mujina.kernel.db.errors import TemporaryFailure
from mujina.kernel.errors import ApiError
from mujina.kernel.forms import read_query
from mujina.kernel.http import FindActor, credentials_of
from mujina.kernel.params import BadValue, Ref, read_text
from mujina.kernel.services import Services
from mujina.planning.uploads.rules import find_upload
from mujina.workspaces.projects.avatars import find_project_avatar
from mujina.workspaces.projects.rules import find_project

Application = Callable[..., Awaitable[None]]
Scope = Mapping[str, Any]
Head = list[tuple[bytes, bytes]]

_AVATAR = re.compile(r"/uploads/-/system/user/avatar/([0-9]{1,18})/([^/]{1,300})")
_PROJECT_AVATAR = re.compile(r"/uploads/-/system/project/avatar/([0-9]{1,18})/([^/]{1,300})")
_UPLOAD = re.compile(r"/([^/]+(?:/[^/]+)+)/uploads/([0-9a-f]{32})/([^/]{1,300})")

_PICTURES = {**TYPES, ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp", ".bmp": "image/bmp"}
"""What a browser shows in its place. Drawings such as SVG carry scripts: they are saved like everything else."""
_SAFE: Head = [
    (b"x-content-type-options", b"nosniff"),
    (b"content-security-policy", b"default-src 'none'; sandbox"),
    (b"cross-origin-resource-policy", b"cross-origin"),
]


class Served(msgspec.Struct, frozen=True):
    """A file the caller may have."""

    key: str
    name: str
    public: bool = False
    """Whether everybody may have it."""

    @property
    def head(self) -> Head:
        kind = _PICTURES.get(PurePosixPath(self.name).suffix.lower())
        cache = "public, max-age=300" if self.public else "private, max-age=300"
        return [
            *_SAFE,
            (b"content-type", (kind or "application/octet-stream").encode()),
            (b"content-disposition", b"inline" if kind else b"attachment"),
            (b"cache-control", cache.encode()),
            # Every file has a name of its own in the store and never changes under it: that name is its tag.
            (b"etag", f'"{PurePosixPath(self.key).stem}"'.encode()),
        ]


class Uploads:
    """Answers for avatars and for the files of projects, and hands everything else on."""

    def __init__(self, application: Application, services: Services, find_actor: FindActor) -> None:
        self._application = application
        self._services = services
        self._find_actor = find_actor

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        """The ASGI application."""
        if scope.get("method") not in ("GET", "HEAD") or "/uploads/" not in scope["path"]:
            await self._application(scope, receive, send)
            return
        try:
            served = await self._find(scope, Request(dict(scope), receive))
            status, head, body = _missing() if served is None else await self._answer(served, scope)
        except ApiError as refusal:
            status, head, body = _missing(refusal.status)
        except TemporaryFailure:
            status, head, body = _missing(503)
            head.append((b"retry-after", b"1"))
        except LookupError:
            await self._application(scope, receive, send)
            return
        await send({"type": "http.response.start", "status": status, "headers": head})
        await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})

    async def _find(self, scope: Scope, request: Request) -> Served | None:
        """The file at this address, if the caller may have it; `LookupError` if none could be there."""
        try:
            path = read_text(scope["path"])
        except BadValue:
            return None
        if asked := _AVATAR.fullmatch(path):
            async with self._services.database.reading() as tx:
                key = await find_avatar(tx, int(asked[1]), asked[2])
            return Served(key, asked[2], public=True) if key else None
        owner = _PROJECT_AVATAR.fullmatch(path)
        asked = owner or _UPLOAD.fullmatch(path)
        if asked is None:
            raise LookupError(path)
        actor = await self._find_actor(self._services, credentials_of(request, read_query(request.query_string)))
        async with self._services.database.reading() as tx:
            project = await find_project(tx, actor, Ref(asked[1]))
            if owner:
                key = await find_project_avatar(tx, project.id, asked[2])
                return Served(key, asked[2]) if key else None
            upload = await find_upload(tx, project.id, asked[2], asked[3])
            return Served(upload.key, upload.name) if upload else None

    async def _answer(self, served: Served, scope: Scope) -> tuple[int, Head, bytes]:
        tag = next(value for name, value in served.head if name == b"etag")
        if (b"if-none-match", tag) in scope["headers"]:
            return 304, served.head, b""
        data = await self._services.files.get(served.key)
        if data is None:
            return _missing()
        return 200, [*served.head, (b"content-length", str(len(data)).encode())], data


def _missing(status: int = 404) -> tuple[int, Head, bytes]:
    return (
        status,
        [(b"content-type", b"text/plain; charset=utf-8"), (b"x-content-type-options", b"nosniff")],
        {404: b"Not found\n", 503: b"Unavailable\n"}.get(status, b"Not allowed\n"),
    )
