"""Merge requests on the page of an issue. The chapter that has them registers how they are read."""

from collections.abc import Awaitable, Callable

import msgspec

from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx
from mujina.planning.issues.entities import Issue


class RelatedRequest(msgspec.Struct, array_like=True, frozen=True):
    """A merge request that closes or mentions an issue."""

    path: str
    """Of its project."""
    iid: int
    title: str
    state: str


ReadRelated = Callable[[Tx, Actor, Issue], Awaitable[list[RelatedRequest]]]
_readers: list[ReadRelated] = []


def register_related_requests(read: ReadRelated) -> None:
    """Register how they are read; the composition root calls this once."""
    _readers[:] = [read]


async def read_related_requests(tx: Tx, actor: Actor, issue: Issue) -> list[RelatedRequest]:
    """The merge requests that the actor may read and that close or mention the issue, the newest first."""
    return [request for read in _readers for request in await read(tx, actor, issue)]
