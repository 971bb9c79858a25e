"""Followers let later chapters store rows in the transaction that records a push, after they have read from git.

    async def follow(services, actor, project_id, changes) -> Store | None

A chapter cannot be imported by one before it, so its manifest lists its followers.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from mujina.code.pushes.access import RepositoryRow
from mujina.code.pushes.changes import Change
from mujina.kernel.db.transaction import Tx
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.product import ExtensionPoint
from mujina.kernel.services import Services

Store = Callable[[Tx], Awaitable[None]]
"""Writes what a follower found, in the transaction that records the push."""

Follower = Callable[[Services, Actor, int, Sequence[Change]], Awaitable[Store | None]]
"""Reads what follows from these changes of a project's refs; None if nothing does."""

Announcer = Callable[[Tx, Actor, RepositoryRow, Sequence[Change]], Awaitable[str]]
"""The messages that git shows to the user after these refs have moved; mostly empty."""

FOLLOWERS: Final = ExtensionPoint[Follower]("what is stored with the record of a push")
ANNOUNCERS: Final = ExtensionPoint[Announcer]("what git shows after a push")


async def follow(services: Services, actor: Actor, project_id: int, changes: Sequence[Change]) -> list[Store]:
    """Collects the rows that the followers store with the record."""
    found = [await follower(services, actor, project_id, changes) for follower in services.product.all(FOLLOWERS)]
    return [store for store in found if store is not None]


async def announce(tx: Tx, actor: Actor, repository: RepositoryRow, moved: Sequence[Change]) -> str:
    """Collects the messages of later chapters for the user who pushed."""
    return "".join([await announcer(tx, actor, repository, moved) for announcer in tx.product.all(ANNOUNCERS)])
