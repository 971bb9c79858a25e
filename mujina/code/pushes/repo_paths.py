"""Where the repository of a project is, by what the database says of it.

A repository exists from the first push, commit, import or fork on: then there is a row of a push, or a default branch. One
that exists by the database and not on disk is never made anew.
"""

from contextlib import nullcontext
from pathlib import Path
from typing import LiteralString

from mujina.adapters.git.storage import RepositoryStorage
from mujina.kernel import errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.services import Services

HAS_REPOSITORY: LiteralString = """
    (p.default_branch IS NOT NULL OR EXISTS (SELECT 1 FROM pushes o WHERE o.project_id = p.id AND NOT o.wiki))"""
HAS_WIKI: LiteralString = "EXISTS (SELECT 1 FROM pushes o WHERE o.project_id = p.id AND o.wiki)"


async def find_storage(services: Services, project_id: int) -> str | None:
    """The name of the storage of the project's repositories; None if the project is deleted."""
    async with services.database.reading() as tx:
        return await tx.value(
            "SELECT p.repository_storage FROM projects p WHERE p.id = :id AND p.deleted_at IS NULL", id=project_id
        )


async def find_repo_path(
    services: Services, storage: str, project_id: int, *, wiki: bool, tx: Tx | None = None
) -> Path | None:
    """The repository; None if nothing was ever written to it. `StorageMissing` if it is missing.

    `tx` is the open transaction of the caller: waiting for a second connection, many requests would wait for each other.
    """
    repositories = RepositoryStorage.of(services.settings.data, storage)
    found = repositories.find(project_id, wiki=wiki)
    if found is not None:
        return found
    async with services.database.reading() if tx is None else nullcontext(tx) as reading:
        exists = await _exists(reading, project_id, wiki=wiki)
    return repositories.repository(project_id, wiki=wiki) if exists else None


async def repo_path_to_read(
    services: Services, storage: str, project_id: int, *, wiki: bool = False, tx: Tx | None = None
) -> Path:
    """The repository, or an empty one if nothing was ever written to it; `StorageMissing` if it is missing."""
    found = await find_repo_path(services, storage, project_id, wiki=wiki, tx=tx)
    return found or await RepositoryStorage.of(services.settings.data, storage).empty()


async def repo_path_to_write(services: Services, storage: str, project_id: int, *, wiki: bool = False) -> Path:
    """The repository, created before the first write; `StorageMissing` if it is missing."""
    found = await find_repo_path(services, storage, project_id, wiki=wiki)
    return found or await RepositoryStorage.of(services.settings.data, storage).create(project_id, wiki=wiki)


async def _exists(tx: Tx, project_id: int, *, wiki: bool) -> bool:
    """Whether the database says that the repository, or the wiki, exists; 404 if the project is deleted."""
    condition = HAS_WIKI if wiki else HAS_REPOSITORY
    found = await tx.value(
        f"SELECT {condition} FROM projects p WHERE p.id = :id AND p.deleted_at IS NULL", id=project_id
    )
    return bool(errors.or_not_found(found, "Project"))
