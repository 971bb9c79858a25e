"""What later chapters store with the record of a push: read from git before the record, written in its transaction.

    async def follow(services, actor, project_id, changes) -> Store | None

A chapter cannot be imported by one before it, so `mujina/reactions.py` lists the followers, and the composition root
registers them.
"""

from collections.abc import Awaitable, Callable, Sequence

from mujina.code.pushes.changes import Change
from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx
from mujina.kernel.services import Services

Store = Callable[[Tx], Awaitable[None]]
"""Writes what a follower found, in the transaction that records the push."""

Follower = Callable[[Services, Actor, int, Sequence[Change]], Awaitable[Store | None]]
"""Reads what follows from these changes of a project's refs; None if nothing does."""

_followers: Sequence[Follower] | None = None


def register_followers(followers: Sequence[Follower]) -> None:
    """Register the followers of the product; the composition root calls this once."""
    global _followers  # noqa: PLW0603 - a push does not know who follows it
    _followers = followers


async def follow(services: Services, actor: Actor, project_id: int, changes: Sequence[Change]) -> list[Store]:
    """What the followers store with the record."""
    if _followers is None:
        raise RuntimeError("pushes have no followers: call register_followers(…) first")
    found = [await follower(services, actor, project_id, changes) for follower in _followers]
    return [store for store in found if store is not None]
