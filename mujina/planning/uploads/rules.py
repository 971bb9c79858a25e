"""Who may bring files to a project, and the only way to get one."""

import msgspec

from mujina.kernel.db.transaction import Tx
from mujina.workspaces.projects.rules import CREATE_ISSUE

UPLOAD_FILE = CREATE_ISSUE
"""Whoever may write something may put a file into it."""


class UploadRow(msgspec.Struct, array_like=True, frozen=True):
    """Where a file is in the store, and what its readers call it."""

    key: str
    name: str


async def find_upload(tx: Tx, project_id: int, secret: str, name: str) -> UploadRow | None:
    """The file of this project at this address; None if there is none. That the caller reads the project was asked."""
    found = await tx.value(
        "SELECT 1 FROM uploads f WHERE f.project_id = :project_id AND f.secret = :secret AND f.name = :name",
        project_id=project_id, secret=secret, name=name,
    )  # fmt: skip
    return None if found is None else UploadRow(key_of(secret), name)


def key_of(secret: str) -> str:
    """What the store calls the file: nothing of it was said by a client."""
    return f"uploads/{secret[:2]}/{secret}"
