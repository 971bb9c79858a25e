"""Avatars of projects: re-encoded like those of users, and shown to all who may read the project."""

import uuid
from pathlib import PurePosixPath

from mujina.accounts.users.profile.avatars import AvatarChange
from mujina.kernel.db.rows import update
from mujina.kernel.db.transaction import Database, Tx
from mujina.kernel.http.params import UNSET
from mujina.kernel.storage.files import Files


async def put(tx: Tx, project_id: int, change: AvatarChange) -> None:
    """Store the staged avatar, or remove the present one."""
    if change.image is not UNSET:
        await update(tx, "projects", change.columns(await key_of(tx, project_id)), id=project_id)


async def key_of(tx: Tx, project_id: int) -> str | None:
    """The key of the avatar in the storage of files."""
    return await tx.value("SELECT p.avatar_key FROM projects p WHERE p.id = :id", id=project_id)


async def find_project_avatar(tx: Tx, project_id: int, name: str) -> str | None:
    """The storage key of the avatar with this file name; None if there is none."""
    return await tx.value(
        "SELECT p.avatar_key FROM projects p WHERE p.id = :id AND p.avatar = :name", id=project_id, name=name
    )


async def copy(database: Database, files: Files, source_id: int, project_id: int) -> None:
    """Copy the avatar of the source, if it has one and the project has none yet."""
    async with database.reading() as tx:
        picture = await tx.row(
            tuple[str | None, str | None],
            "SELECT p.avatar, p.avatar_key FROM projects p WHERE p.id = :id AND p.avatar_key IS NOT NULL",
            id=source_id,
        )
        known = await key_of(tx, project_id)
    name, key = picture or (None, None)
    data = await files.get(key) if key is not None and known is None else None
    if data is None or key is None:
        return
    own = f"avatars/project/{uuid.uuid4().hex}{PurePosixPath(key).suffix}"
    await files.put(own, data)
    async with database.transaction() as tx:
        await update(tx, "projects", {"avatar": name, "avatar_key": own}, id=project_id)
