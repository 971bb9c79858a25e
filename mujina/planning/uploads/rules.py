"""The rules of uploads to a project, and the only way to find one."""

import msgspec

from mujina.kernel.db.transaction import Tx
from mujina.workspaces.projects.rules import CREATE_ISSUE

UPLOAD_FILE = CREATE_ISSUE
"""Users who may write texts may attach files to them."""


class StoredUpload(msgspec.Struct, frozen=True):
    """The key of a file in the store, and its name."""

    key: str
    name: str


async def find_upload(tx: Tx, project_id: int, secret: str, name: str) -> StoredUpload | None:
    """The file of this project, or None; the caller has checked that the user may read the project."""
    found = await tx.value(
        "SELECT 1 FROM uploads f WHERE f.project_id = :project_id AND f.secret = :secret AND f.name = :name",
        project_id=project_id,
        secret=secret,
        name=name,
    )
    return None if found is None else StoredUpload(key_of(secret), name)


def key_of(secret: str) -> str:
    """The key of the file in the store; no part of it comes from a client."""
    return f"uploads/{secret[:2]}/{secret}"
