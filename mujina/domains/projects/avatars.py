"""Pictures of projects: drawn anew like those of people, and shown to whoever may read the project."""

from mujina.domains.users.avatars import Change
from mujina.kernel.db.transaction import Tx
from mujina.kernel.params import UNSET


async def put(tx: Tx, project_id: int, change: Change) -> None:
    """The project has this picture, or none."""
    if change.picture is UNSET:
        return
    picture = change.picture
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
