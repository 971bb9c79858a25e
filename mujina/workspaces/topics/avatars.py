"""Avatars of topics: re-encoded like those of users, and shown to all who may see the topic."""

from mujina.accounts.users.profile.avatars import AvatarChange
from mujina.kernel.db.rows import update
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.params import UNSET


async def put(tx: Tx, topic_id: int, change: AvatarChange) -> None:
    """Store the staged avatar, or remove the present one."""
    if change.image is not UNSET:
        previous = await tx.value("SELECT tp.avatar_key FROM topics tp WHERE tp.id = :id", id=topic_id)
        await update(tx, "topics", change.columns(previous), id=topic_id)


async def find_topic_avatar(tx: Tx, topic_id: int, name: str) -> str | None:
    """The storage key of the avatar with this file name; None if there is none."""
    return await tx.value(
        "SELECT tp.avatar_key FROM topics tp WHERE tp.id = :id AND tp.avatar = :name", id=topic_id, name=name
    )
