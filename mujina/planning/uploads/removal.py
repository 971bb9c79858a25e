"""The uploads of a removed project."""

from mujina.kernel.services import Services
from mujina.planning.uploads import operations
from mujina.planning.uploads.rules import key_of


async def remove_project_files(services: Services, project_id: int) -> None:
    """Remove the files, then their rows: a row exists as long as its file does."""
    left = True
    while left:
        async with services.database.transaction() as tx:
            secrets = await operations.release_batch(tx, project_id)
        for secret in secrets:
            await services.files.remove(key_of(secret))
        async with services.database.transaction() as tx:
            await operations.delete_rows(tx, project_id, secrets)
            left = await tx.value("SELECT 1 FROM uploads f WHERE f.project_id = :id", id=project_id) is not None
