"""Who deletes tags, and the only way to find the release of one."""

from typing import Final

from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx
from mujina.workspaces.projects.rules import ADMIN_PROJECT, PUSH_CODE

DELETE_TAG: Final = PUSH_CODE & ADMIN_PROJECT


class StoredRelease(Row, alias="rel"):
    """The columns of a release that a change compares."""

    id: int
    project_id: int
    tag: str
    name: str | None
    description: str
    released_at: str


async def find_stored(tx: Tx, project_id: int, tag: str) -> StoredRelease | None:
    return await tx.row(
        StoredRelease,
        f"SELECT {StoredRelease.columns} FROM releases rel WHERE rel.project_id = :project_id AND rel.tag = :tag",
        project_id=project_id,
        tag=tag,
    )
