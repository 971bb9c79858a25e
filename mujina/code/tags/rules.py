"""The only way to find the release of a tag."""

from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx


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
