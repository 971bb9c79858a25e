"""Merge requests on the pages of issues. The chapter that has them registers how they are read."""

from collections.abc import Awaitable, Callable
from typing import LiteralString

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
_counts: list[LiteralString] = []


def register_related_requests(read: ReadRelated, count: LiteralString) -> None:
    """Register how they are read, and a statement that counts them: the id of each of the issues `:ids`, and a number.

    The composition root calls this once.
    """
    _readers[:], _counts[:] = [read], [count]


def related_count() -> LiteralString | None:
    """The statement for their numbers; None: there are none."""
    return _counts[0] if _counts else None


async def read_related_requests(tx: Tx, actor: Actor, issue: Issue) -> list[RelatedRequest]:
    """The merge requests that the actor may read and that close or mention the issue, the newest first."""
    return [request for read in _readers for request in await read(tx, actor, issue)]
