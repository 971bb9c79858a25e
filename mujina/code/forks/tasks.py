"""Copying the repository of a fork."""

from datetime import timedelta

from mujina.adapters.git import git, refs
from mujina.adapters.git.transport import copying
from mujina.code.lfs import operations as lfs
from mujina.code.protected_branches import operations as protected_branches
from mujina.code.pushes.repo_paths import repo_path_to_read, repo_path_to_write
from mujina.kernel.jobs.queue import enqueue
from mujina.kernel.jobs.tasks import Run, task
from mujina.kernel.monitoring.logs import log
from mujina.kernel.permissions.actor import SYSTEM
from mujina.kernel.storage.errors import StorageMissing
from mujina.workspaces.projects import avatars, operations
from mujina.workspaces.projects.origins import forks
from mujina.workspaces.projects.removing.deleted_meanwhile import of_project

COPY_LIMIT = timedelta(hours=2)


@task("projects.copy", limit=COPY_LIMIT, long=True)
@of_project
async def copy_project(run: Run, project_id: int) -> None:
    """The fork has the branches and tags of its source, or says why not; begun again after a crash, it ends the same."""
    async with run.database.transaction() as tx:
        found = await forks.begin(tx, project_id)
    if found is None:
        return None
    if found.source_id is None:
        return await _fail(run, project_id, "The project it was forked from is gone")
    try:
        source = await repo_path_to_read(run.services, found.source_storage, found.source_id)
        repo_path = await repo_path_to_write(run.services, found.storage, project_id)
        await copying.copy(source, repo_path)
    except StorageMissing as missing:
        return await _fail(run, project_id, missing.sentence)
    except git.GitCommandError as failure:
        log.warning("fork failed", project=project_id, stderr=failure.stderr)
        return await _fail(run, project_id, "The repository could not be copied")
    await avatars.copy(run.database, run.services.files, found.source_id, project_id)
    branch = found.default_branch
    present = branch is not None and await refs.read_refs(repo_path, [f"refs/heads/{branch}"])
    async with run.database.transaction() as tx:
        if branch is not None and present and await operations.adopt_default_branch(tx, project_id, branch):
            await protected_branches.protect_if_unprotected(tx, SYSTEM, project_id, branch)
        await lfs.share(tx, found.source_id, project_id)
        await forks.end(tx, project_id)
        await enqueue(tx, "repositories.measure", project_id, owner_id=run.owner_id)
    return None


async def _fail(run: Run, project_id: int, reason: str) -> None:
    async with run.database.transaction() as tx:
        await forks.end(tx, project_id, reason)
