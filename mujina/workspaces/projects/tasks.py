"""Background work on projects."""

from datetime import timedelta

from mujina.adapters.git.storage import RepositoryStorage
from mujina.kernel.jobs.queue import enqueue
from mujina.kernel.jobs.tasks import Run, task
from mujina.kernel.removals import clean_up
from mujina.workspaces.projects import avatars, operations
from mujina.workspaces.projects.removing.deleted_meanwhile import STILL_WRITTEN_TO
from mujina.workspaces.projects.removing.with_owner import PROJECT_FILES, PROJECT_ROWS

RETRY_DELAY = timedelta(seconds=2)
"""The pause between two attempts to remove a repository that a process still writes to."""


@task("projects.remove")
async def remove_project(run: Run, key: str) -> None:
    """Erase the data of a deleted project: its repositories first, so that its row exists as long as they do."""
    project_id = int(key)
    async with run.database.reading() as tx:
        storage = await tx.value("SELECT p.repository_storage FROM projects p WHERE p.id = :id", id=project_id)
        avatar = await avatars.key_of(tx, project_id)
    if storage is not None:
        try:
            await RepositoryStorage.of(run.services.settings.data, storage).remove(project_id)
        except OSError as error:
            if error.errno not in STILL_WRITTEN_TO:
                raise
            # A copy or an import has not noticed the deletion yet.
            async with run.database.transaction() as tx:
                await enqueue(tx, "projects.remove", key, after=RETRY_DELAY)
            return
        if avatar is not None:
            await run.services.files.remove(avatar)
        await clean_up(run.services.product.all(PROJECT_FILES), run.services, project_id)
    async with run.database.transaction() as tx:
        await clean_up(tx.product.all(PROJECT_ROWS), tx, project_id)
        await operations.erase(tx, project_id)
