"""Avatars of groups: re-encoded like those of users, and shown to all who may read the group."""

from mujina.accounts.users.profile.avatars import AvatarChange
from mujina.kernel.db.rows import update
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.params import UNSET


async def put(tx: Tx, group_id: int, change: AvatarChange) -> None:
    """Store the staged avatar, or remove the present one."""
    if change.image is not UNSET:
        previous = next(iter(await keys_of(tx, [group_id])), None)
        await update(tx, "groups", change.columns(previous), id=group_id)


async def keys_of(tx: Tx, group_ids: list[int]) -> list[str]:
    """The keys of the avatars of these groups in the storage of files."""
    return await tx.values(
        "SELECT g.avatar_key FROM groups g WHERE g.id IN :ids AND g.avatar_key IS NOT NULL", ids=group_ids
    )


async def find_group_avatar(tx: Tx, group_id: int, name: str) -> str | None:
    """The storage key of the avatar with this file name; None if there is none."""
    return await tx.value(
        "SELECT g.avatar_key FROM groups g WHERE g.id = :id AND g.avatar = :name", id=group_id, name=name
    )
