"""Responses of LFS: errors, and the URLs of objects."""

from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from mujina.git.exchange import Exchange, MalformedRequest
from mujina.git.lfs.requests import LfsRequest

FORBIDDEN = "Access forbidden. Check your access level."
MISSING = "Not found."
OFF = "Git LFS is not enabled on this Mujina server, contact your admin."
CHALLENGE = {"LFS-Authenticate": 'Basic realm="Mujina"', "WWW-Authenticate": 'Basic realm="Mujina"'}

Shape = TypeVar("Shape")


class LfsError(Exception):
    """An error response, in JSON."""

    def __init__(self, status: int, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.headers = CHALLENGE if status == 401 else headers
        self.body = msgspec.json.encode({"message": message})


def action(request: LfsRequest, oid: str, size: int | None = None) -> dict[str, Any]:
    """The URL of the object, with the client's credential."""
    # Compat: proxies and caches of clients know this path.
    base = request.exchange.base(request.services.settings.external_url)
    href = f"{base}/{request.repository.full_path}.git/gitlab-lfs/objects/{oid}"
    login = request.exchange.header("authorization")
    header = {"header": {"Authorization": login}} if login else {}
    return {"href": href if size is None else f"{href}/{size}", **header}


async def read_json(exchange: Exchange, shape: type[Shape], max_bytes: int) -> Shape:
    """The body decoded as this type; the decoder's error if it does not match."""
    body = b"".join([piece async for piece in exchange.body(max_bytes)])
    try:
        return msgspec.json.decode(body or b"{}", type=shape)
    except UnicodeDecodeError:
        raise MalformedRequest("The request is not UTF-8.") from None
