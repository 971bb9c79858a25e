"""Requests of LFS."""

from typing import Any

import msgspec

from mujina.code.pushes.access import RepositoryRow
from mujina.git.exchange import Exchange
from mujina.git.lfs.login import Operation
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.services import Services

TYPE = "application/vnd.git-lfs+json"


class LfsObjectRef(msgspec.Struct, frozen=True):
    oid: str
    size: int


class Batch(msgspec.Struct, frozen=True):
    operation: Operation
    objects: list[LfsObjectRef] = []


class LockPath(msgspec.Struct, frozen=True):
    path: str


class Verify(msgspec.Struct, frozen=True):
    cursor: str = ""
    limit: int = 100


class Unlock(msgspec.Struct, frozen=True):
    force: bool = False


class LfsRequest(msgspec.Struct, frozen=True):
    """An authorized request."""

    services: Services
    exchange: Exchange
    actor: Actor
    repository: RepositoryRow
    deploy_key: str | None
    """The fingerprint of the deploy key, if the client is not a user."""

    async def answer(self, status: int, body: Any) -> None:
        await self.exchange.answer(status, b"" if body is None else msgspec.json.encode(body), TYPE)
