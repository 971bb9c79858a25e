"""Background work on projects."""

from datetime import timedelta

from mujina.adapters import git, git_copying, git_refs
from mujina.adapters.git_storage import Storage
from mujina.code.lfs import operations as lfs
from mujina.code.protected_branches import operations as protected_branches
from mujina.kernel.actor import SYSTEM
from mujina.kernel.jobs.queue import enqueue
from mujina.kernel.jobs.tasks import Run, task
from mujina.kernel.logs import log
from mujina.planning.awards import operations as awards
from mujina.planning.references import operations as references
from mujina.planning.subscriptions import operations as subscriptions
from mujina.planning.uploads import operations as uploads
from mujina.planning.uploads.rules import key_of
from mujina.workspaces.projects import avatars, forks, operations

COPY_LIMIT = timedelta(hours=2)

KEEPERS = (awards, references, subscriptions)
"""Slices that keep rows about issues and notes which no reference of the database's takes along."""


@task("projects.remove")
async def remove_project(run: Run, key: str) -> None:
    """The data of a deleted project is gone: its repositories first, so that a row remains for as long as they do."""
    async with run.database.reading() as tx:
        storage = await tx.value("SELECT p.repository_storage FROM projects p WHERE p.id = :id", id=int(key))
    if storage is not None:
        await Storage.of(run.house.settings.data, storage).remove(int(key))
        await _remove_files(run, int(key))
    async with run.database.transaction() as tx:
        for kept in KEEPERS:
            await kept.forget_project(tx, int(key))
        await operations.erase(tx, int(key))
        await enqueue(tx, "lfs.sweep", "")


@task("projects.copy", limit=COPY_LIMIT)
async def copy_project(run: Run, key: str) -> None:
    """The fork has the branches and tags of its source, or says why not; begun again after a crash, it ends the same."""
    project_id, data = int(key), run.house.settings.data
    async with run.database.transaction() as tx:
        found = await forks.begin(tx, project_id)
    if found is None:
        return None
    if found.source_id is None:
        return await _fail(run, project_id, "The project it was forked from is gone")
    place = await Storage.of(data, found.storage).repository(project_id)
    source = await Storage.of(data, found.source_storage).repository(found.source_id)
    try:
        await git_copying.copy(source, place)
    except git.Failed as failure:
        log.warning("fork failed", project=project_id, complaint=failure.complaint)
        return await _fail(run, project_id, "The repository could not be copied")
    await avatars.copy(run.database, run.house.files, found.source_id, project_id)
    branch = found.default_branch
    present = branch is not None and await git_refs.read_refs(place, [f"refs/heads/{branch}"])
    async with run.database.transaction() as tx:
        if branch is not None and present and await operations.adopt_default_branch(tx, project_id, branch):
            await protected_branches.protect_unless(tx, SYSTEM, project_id, branch)
        await lfs.share(tx, found.source_id, project_id)
        await forks.end(tx, project_id)
        await enqueue(tx, "repositories.measure", project_id)
    return None


async def _remove_files(run: Run, project_id: int) -> None:
    """What was uploaded to the project is gone from the store; a row remains for as long as its file does."""
    async with run.database.reading() as tx:
        avatar = await avatars.key_of(tx, project_id)
    if avatar is not None:
        await run.house.files.remove(avatar)
    left = True
    while left:
        async with run.database.transaction() as tx:
            secrets = await uploads.leave(tx, project_id)
        for secret in secrets:
            await run.house.files.remove(key_of(secret))
        async with run.database.transaction() as tx:
            await uploads.forget(tx, project_id, secrets)
            left = await uploads.any_left(tx, project_id)


async def _fail(run: Run, project_id: int, reason: str) -> None:
    async with run.database.transaction() as tx:
        await forks.end(tx, project_id, reason)
