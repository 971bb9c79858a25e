"""What later chapters store with the record of a push: read from git before the record, written in its transaction.

    async def follow(services, actor, project_id, changes) -> Store | None

A chapter cannot be imported by one before it, so `mujina/reactions.py` lists the followers, and the composition root
registers them.
"""

from collections.abc import Awaitable, Callable, Sequence

from mujina.code.pushes.access import RepositoryRow
from mujina.code.pushes.changes import Change
from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx
from mujina.kernel.services import Services

Store = Callable[[Tx], Awaitable[None]]
"""Writes what a follower found, in the transaction that records the push."""

Follower = Callable[[Services, Actor, int, Sequence[Change]], Awaitable[Store | None]]
"""Reads what follows from these changes of a project's refs; None if nothing does."""

Announcer = Callable[[Tx, Actor, RepositoryRow, Sequence[Change]], Awaitable[str]]
"""What git shows to the user after these refs have moved; mostly empty."""

_followers: Sequence[Follower] | None = None
_announcers: Sequence[Announcer] = ()


def register_followers(followers: Sequence[Follower], announcers: Sequence[Announcer]) -> None:
    """Register the followers and announcers of the product; the composition root calls this once."""
    global _followers, _announcers
    _followers, _announcers = followers, announcers


async def follow(services: Services, actor: Actor, project_id: int, changes: Sequence[Change]) -> list[Store]:
    """What the followers store with the record."""
    if _followers is None:
        raise RuntimeError("pushes have no followers: call register_followers(…) first")
    found = [await follower(services, actor, project_id, changes) for follower in _followers]
    return [store for store in found if store is not None]


async def announce(tx: Tx, actor: Actor, repository: RepositoryRow, moved: Sequence[Change]) -> str:
    """What later chapters tell the user who pushed."""
    return "".join([await announcer(tx, actor, repository, moved) for announcer in _announcers])
