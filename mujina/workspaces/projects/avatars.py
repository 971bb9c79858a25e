"""Pictures of projects: drawn anew like those of people, and shown to whoever may read the project."""

import uuid
from pathlib import PurePosixPath

from mujina.accounts.users.avatars import AvatarChange
from mujina.kernel.db.transaction import Database, Tx
from mujina.kernel.files import Files
from mujina.kernel.params import UNSET


async def put(tx: Tx, project_id: int, change: AvatarChange) -> None:
    """The project has this picture, or none."""
    if change.image is UNSET:
        return
    picture = change.image
    change.replaced = await key_of(tx, project_id)
    await tx.run(
        "UPDATE projects SET avatar = :name, avatar_key = :key WHERE id = :id",
        id=project_id, name=picture.name if picture else None, key=picture.key if picture else None,
    )  # fmt: skip


async def key_of(tx: Tx, project_id: int) -> str | None:
    """What the store of files calls this project's picture."""
    return await tx.value("SELECT p.avatar_key FROM projects p WHERE p.id = :id", id=project_id)


async def find_project_avatar(tx: Tx, project_id: int, name: str) -> str | None:
    """What the store calls the picture at this address; None if there is none."""
    return await tx.value(
        "SELECT p.avatar_key FROM projects p WHERE p.id = :id AND p.avatar = :name", id=project_id, name=name
    )


async def copy(database: Database, files: Files, source_id: int, project_id: int) -> None:
    """The project has a picture of its own like the source's, if that has one and it has none yet."""
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
        await tx.run(
            "UPDATE projects SET avatar = :name, avatar_key = :key WHERE id = :id", id=project_id, name=name, key=own
        )
