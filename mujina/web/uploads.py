"""Serves uploaded files to those who may read them, with headers that stop a browser from executing them."""

from pathlib import PurePosixPath
from typing import Any
from urllib.parse import quote

import msgspec

from mujina.accounts.users.profile.avatars import find_avatar
from mujina.kernel.db.errors import TemporaryFailure
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import ApiError
from mujina.kernel.http.applications import Application
from mujina.kernel.http.dispatcher import FindActor, credentials_of
from mujina.kernel.http.forms import read_query
from mujina.kernel.http.params import BadValue, Ref, read_text
from mujina.kernel.http.requests.incoming import ApiRequest
from mujina.kernel.http.requests.log import record_of
from mujina.kernel.monitoring.logs import log
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.permissions.scopes import API, check_scope
from mujina.kernel.services import Services
from mujina.kernel.storage.errors import StorageMissing, storage_problem, storage_status
from mujina.kernel.storage.files import SANDBOX, raw_headers
from mujina.kernel.storage.opening import record_missing
from mujina.kernel.text.deferred_patterns import deferred_pattern
from mujina.planning.uploads.rules import find_upload
from mujina.web.admission import sign_in_for
from mujina.workspaces.groups.avatars import find_group_avatar
from mujina.workspaces.groups.rules import find_group
from mujina.workspaces.projects.avatars import find_project_avatar
from mujina.workspaces.projects.rules import find_former, find_project
from mujina.workspaces.topics.avatars import find_topic_avatar
from mujina.workspaces.topics.rules import find_topic

Scope = dict[str, Any]
Headers = list[tuple[bytes, bytes]]

_AVATAR = deferred_pattern(r"/uploads/-/system/user/avatar/([0-9]{1,18})/([^/]{1,300})")
_OTHER_AVATAR = deferred_pattern(r"/uploads/-/system/(project|group|topic)/avatar/([0-9]{1,18})/([^/]{1,300})")
_UPLOAD = deferred_pattern(r"/([^/]+(?:/[^/]+)+)/uploads/([0-9a-f]{32})/([^/]{1,300})")

_SECURITY_HEADERS: Headers = [
    *((name.lower().encode(), value.encode()) for name, value in SANDBOX.items()),
    (b"cross-origin-resource-policy", b"cross-origin"),
]


class _SignInRequired(Exception):
    """An anonymous user of a browser may not read the project, or there is none: the response does not tell which."""


class ServedFile(msgspec.Struct, frozen=True):
    """A file that the caller may read."""

    key: str
    name: str
    public: bool = False
    """Whether shared caches may store it."""

    @property
    def headers(self) -> Headers:
        content_type, guards = raw_headers(self.name)
        cache = "public, max-age=300" if self.public else "private, max-age=300"
        return [
            *((name.lower().encode(), value.encode()) for name, value in guards.items()),
            (b"cross-origin-resource-policy", b"cross-origin"),
            (b"content-type", content_type.encode()),
            (b"cache-control", cache.encode()),
            # The name of a file in storage is unique and its content never changes: the name serves as the tag.
            (b"etag", f'"{PurePosixPath(self.key).stem}"'.encode()),
        ]


class Moved(msgspec.Struct, frozen=True):
    """A file whose project was renamed or moved."""

    address: str


class Uploads:
    """Serves avatars and the uploads of projects, and passes all other requests on."""

    def __init__(self, application: Application, services: Services, find_actor: FindActor) -> None:
        self._application = application
        self._services = services
        self._find_actor = find_actor

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        """The ASGI application."""
        if scope.get("method") not in ("GET", "HEAD") or "/uploads/" not in scope["path"]:
            await self._application(scope, receive, send)
            return
        record_of(scope).route = "uploads"
        try:
            file = await self._find(scope, ApiRequest(dict(scope), receive))
            status, headers, body = _error() if file is None else await self._respond(file, scope)
        except _SignInRequired:
            status, headers, body = _redirect_to_sign_in(scope)
        except StorageMissing as error:
            status, headers, _ = _error(error.status)
            body = f"{error}\n".encode()
        except ApiError as error:
            status, headers, body = _error(error.status)
        except TemporaryFailure:
            status, headers, body = _error(503)
            headers.append((b"retry-after", b"1"))
        except LookupError:
            record_of(scope).route = ""
            await self._application(scope, receive, send)
            return
        except Exception as error:
            if (sentence := storage_problem(error)) is None:
                raise
            log.error("storage cannot be used", path=scope["path"], exc_info=error)
            status, headers, _ = _error(storage_status(sentence))
            body = f"{sentence}\n".encode()
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})

    async def _find(self, scope: Scope, request: ApiRequest) -> ServedFile | Moved | None:
        """Return the file at this path if the caller may read it; raise `LookupError` if the path is not that of a file."""
        try:
            path = read_text(scope["path"])
        except BadValue:
            return None
        if match := _AVATAR.fullmatch(path):
            async with self._services.database.reading() as tx:
                key = await find_avatar(tx, int(match[1]), match[2])
            return ServedFile(key, match[2], public=True) if key else None
        avatar = _OTHER_AVATAR.fullmatch(path)
        match = avatar or _UPLOAD.fullmatch(path)
        if match is None:
            raise LookupError(path)
        actor = await self._find_actor(self._services, credentials_of(request, read_query(request.query_string)))
        check_scope(actor, API, reads=True)
        record_of(scope).acts(actor)
        async with self._services.database.reading() as tx:
            try:
                find = _find_avatar if avatar else _find_upload
                return await find(tx, actor, *match.groups())
            except ApiError:
                if actor.anonymous and _is_opened_by_browser(request):
                    raise _SignInRequired from None
                raise

    async def _respond(self, file: ServedFile | Moved, scope: Scope) -> tuple[int, Headers, bytes]:
        if isinstance(file, Moved):
            location = (b"location", file.address.encode())
            return 301, [*_SECURITY_HEADERS, location, (b"cache-control", b"private, no-cache")], b""
        tag = next(value for name, value in file.headers if name == b"etag")
        if (b"if-none-match", tag) in scope["headers"]:
            return 304, file.headers, b""
        data = await self._services.files.get(file.key)
        if data is None:
            await record_missing(self._services, file.key)
            return _error()
        return 200, [*file.headers, (b"content-length", str(len(data)).encode())], data


def _is_opened_by_browser(request: ApiRequest) -> bool:
    """Whether a browser opens the file as a page. Images inside a page and programs get the error itself."""
    return "text/html" in (request.get_header("Accept") or "")


def _redirect_to_sign_in(scope: Scope) -> tuple[int, Headers, bytes]:
    query = scope["query_string"].decode("latin-1")
    target = quote(scope["path"], safe="/") + (f"?{query}" if query else "")
    return 302, [(b"location", sign_in_for(target).encode()), (b"cache-control", b"no-store")], b""


async def _find_avatar(tx: Tx, actor: Actor, of: str, id: str, name: str) -> ServedFile | None:
    """The avatar of the group, topic or project, if the actor may read that."""
    if of == "topic":
        key = await find_topic_avatar(tx, (await find_topic(tx, actor, int(id))).id, name)
    elif of == "group":
        key = await find_group_avatar(tx, (await find_group(tx, actor, Ref(id))).id, name)
    else:
        key = await find_project_avatar(tx, (await find_project(tx, actor, Ref(id))).id, name)
    return ServedFile(key, name) if key else None


async def _find_upload(tx: Tx, actor: Actor, path: str, secret: str, name: str) -> ServedFile | Moved | None:
    """The file at this address. At a path that its project had before, the address where it is now."""
    former = None
    try:
        project = await find_project(tx, actor, Ref(path))
    except ApiError:
        former = await find_former(tx, Ref(path))
        if former is None:
            raise
        project = await find_project(tx, actor, former)
    upload = await find_upload(tx, project.id, secret, name)
    if upload is None:
        return None
    return (
        ServedFile(upload.key, upload.name)
        if former is None
        else Moved(f"/{project.full_path}/uploads/{secret}/{name}")
    )


def _error(status: int = 404) -> tuple[int, Headers, bytes]:
    return (
        status,
        [(b"content-type", b"text/plain; charset=utf-8"), (b"x-content-type-options", b"nosniff")],
        {404: b"Not found\n", 503: b"Unavailable\n"}.get(status, b"Not allowed\n"),
    )
