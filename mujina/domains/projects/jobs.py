"""Background work on projects."""

from mujina.adapters.git_storage import Storage
from mujina.domains.awards import operations as awards
from mujina.domains.projects import operations
from mujina.domains.references import operations as references
from mujina.domains.subscriptions import operations as subscriptions
from mujina.kernel.jobs.tasks import Run, task

KEEPERS = (awards, references, subscriptions)
"""Slices that keep rows about issues and notes which no reference of the database's takes along."""


@task("projects.remove")
async def remove_project(run: Run, key: str) -> None:
    """The data of a deleted project is gone: its repositories first, so that a row remains for as long as they do."""
    async with run.database.reading() as tx:
        storage = await tx.value("SELECT p.repository_storage FROM projects p WHERE p.id = :id", id=int(key))
    if storage is not None:
        await Storage.of(run.house.settings.data, storage).remove(int(key))
    async with run.database.transaction() as tx:
        for kept in KEEPERS:
            await kept.forget_project(tx, int(key))
        await operations.erase(tx, int(key))
