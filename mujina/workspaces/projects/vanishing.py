"""Background work on projects that may be deleted while it runs."""

import errno
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from mujina.kernel.db.transaction import Database

STILL_WRITTEN_TO = frozenset({errno.ENOTEMPTY, errno.EEXIST, errno.ENOENT})
"""How the removal of a folder fails into which another process writes at the same moment."""


@asynccontextmanager
async def ignoring_deletion(database: Database, project_id: int) -> AsyncGenerator[None]:
    """A failure inside is ignored if the project is deleted by then: its rows and files go away under the work."""
    try:
        yield
    except Exception:
        async with database.reading() as tx:
            if await tx.value("SELECT p.id FROM projects p WHERE p.id = :id AND p.deleted_at IS NULL", id=project_id):
                raise
