"""Merge requests on the pages of issues, read by the chapter that has them."""

from collections.abc import Awaitable, Callable
from typing import Final, LiteralString

import msgspec

from mujina.kernel.db.transaction import Tx
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.product import ExtensionPoint, Product
from mujina.planning.issues.views.issue import Issue


class RelatedRequest(msgspec.Struct, array_like=True, frozen=True):
    """A merge request that closes or mentions an issue."""

    path: str
    """The path of its project."""
    iid: int
    title: str
    state: str


class RelatedRequests(msgspec.Struct, frozen=True):
    """How they are read."""

    read: Callable[[Tx, Actor, Issue], Awaitable[list[RelatedRequest]]]
    """The requests that the actor may read, the newest first."""
    count: LiteralString
    """Counts them: a statement for the id of each of the issues `:ids`, and a number."""


RELATED_REQUESTS: Final = ExtensionPoint[RelatedRequests]("merge requests that close or mention an issue")


def related_counts(product: Product) -> list[LiteralString]:
    """The statements for their numbers."""
    return [each.count for each in product.all(RELATED_REQUESTS)]


async def read_related_requests(tx: Tx, actor: Actor, issue: Issue) -> list[RelatedRequest]:
    """The merge requests that the actor may read and that close or mention the issue, the newest first."""
    return [request for each in tx.product.all(RELATED_REQUESTS) for request in await each.read(tx, actor, issue)]
