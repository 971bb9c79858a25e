"""How large files are answered: every refusal in its words, and where an object is fetched from or sent to."""

from typing import Any, TypeVar

import msgspec

from mujina.git.exchange import Exchange, MalformedRequest
from mujina.git.lfs_requests import LfsRequest

FORBIDDEN = "Access forbidden. Check your access level."
MISSING = "Not found."
OFF = "Git LFS is not enabled on this Mujina server, contact your admin."
CHALLENGE = {"LFS-Authenticate": 'Basic realm="Mujina"', "WWW-Authenticate": 'Basic realm="Mujina"'}

Shape = TypeVar("Shape")


class LfsError(Exception):
    """Refused, in JSON."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.body = msgspec.json.encode({"message": message})


def action(visit: LfsRequest, oid: str, size: int | None = None) -> dict[str, Any]:
    """Where the object is, with the credential the client came with."""
    # Compat: the path is the one clients of this API family have in their rules and caches.
    href = f"{visit.exchange.base(visit.services.settings.external_url)}/{visit.repository.full_path}.git/gitlab-lfs/objects/{oid}"
    login = visit.exchange.header("authorization")
    header = {"header": {"Authorization": login}} if login else {}
    return {"href": href if size is None else f"{href}/{size}", **header}


async def read_json(exchange: Exchange, shape: type[Shape], most: int) -> Shape:
    """The body as this shape; a body that is not is refused with what is wrong with it."""
    body = b"".join([piece async for piece in exchange.body(most)])
    try:
        return msgspec.json.decode(body or b"{}", type=shape)
    except UnicodeDecodeError:
        raise MalformedRequest("The request is not UTF-8.") from None
