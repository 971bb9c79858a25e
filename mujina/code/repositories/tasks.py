"""Background work on repositories."""

import asyncio
import os
from datetime import timedelta
from pathlib import Path

from mujina.adapters.file_locks import pruning
from mujina.adapters.git import git, refs
from mujina.adapters.git.fetches import seconds_since_fetch
from mujina.adapters.git.reading.counting import count_all
from mujina.adapters.git.storage import sweep
from mujina.adapters.git.usage import measure_files
from mujina.code.pushes.changes import BRANCHES
from mujina.code.pushes.repo_paths import find_repo_path, find_storage, repo_path_to_write
from mujina.code.repositories import operations
from mujina.instance.application_settings.rules import read_settings
from mujina.kernel.jobs.queue import enqueue
from mujina.kernel.jobs.tasks import Run, task
from mujina.workspaces.projects.removing.deleted_meanwhile import of_project

BACKUP_DELAY = timedelta(minutes=1)
"""How often housekeeping looks whether the backup that it waits for has ended."""
QUIET_TIME = timedelta(minutes=15)
"""Housekeeping without a request waits until there have been no clones for this time, and checks again after it."""
MAX_LOAD = 1.0
"""Processes that want to run for each core: with more, the machine is busy."""


@task("repositories.measure")
@of_project
async def measure_repository(run: Run, project_id: int) -> None:
    """Update the statistics and HEAD, and remove the files that dead pushes left."""
    if (name := await find_storage(run.services, project_id)) is None:
        return
    repo_path = await repo_path_to_write(
        run.services, name, project_id
    )  # HEAD names the branch that its creator asked for
    await asyncio.to_thread(sweep, repo_path)  # first: a stale lock would stop the change of HEAD
    # Read only now: a change of the default branch meanwhile has moved HEAD itself.
    async with run.database.reading() as tx:
        branches = await tx.row(
            tuple[str | None, str | None],
            "SELECT p.default_branch, p.requested_branch FROM projects p WHERE p.id = :id",
            id=project_id,
        )
    default_branch, requested_branch = branches or (None, None)
    if head := default_branch or requested_branch:
        await refs.set_head(repo_path, head)
    commits = 0 if default_branch is None else await _count_commits(repo_path, BRANCHES + default_branch)
    usage = await asyncio.to_thread(measure_files, repo_path)
    async with run.database.transaction() as tx:
        if usage.needs_packing:
            await enqueue(tx, "repositories.pack_when_quiet", project_id, owner_id=run.owner_id)
        await operations.store_measures(tx, project_id, commits, usage.bytes)


@task("repositories.pack_when_quiet")
@of_project
async def pack_when_quiet(run: Run, project_id: int) -> None:
    """Start housekeeping if it is needed: once there are no clones and the machine is not busy, or when it must not wait."""
    if (name := await find_storage(run.services, project_id)) is None:
        return
    paths = [await find_repo_path(run.services, name, project_id, wiki=wiki) for wiki in (False, True)]
    to_pack = [
        (path, usage)
        for path in paths
        if path is not None and (usage := await asyncio.to_thread(measure_files, path)).needs_packing
    ]
    must_not_wait = any(usage.needs_packing_now for _, usage in to_pack)
    cloned = any(seconds_since_fetch(path) < QUIET_TIME.total_seconds() for path, _ in to_pack)
    async with run.database.transaction() as tx:
        if not to_pack or not (await read_settings(tx)).housekeeping_enabled:
            return
        if must_not_wait or not (cloned or _machine_is_busy()):
            await enqueue(tx, "repositories.housekeeping", project_id, owner_id=run.owner_id)
        else:
            await enqueue(tx, "repositories.pack_when_quiet", project_id, owner_id=run.owner_id, after=QUIET_TIME)


def _machine_is_busy() -> bool:
    return os.getloadavg()[0] > MAX_LOAD * (os.cpu_count() or 1)


@task("repositories.housekeeping", limit=timedelta(hours=2), long=True)
@of_project
async def run_housekeeping(run: Run, project_id: int) -> None:
    """Pack the repository and the wiki of a project, and prune objects that have been unreachable for weeks."""
    if (name := await find_storage(run.services, project_id)) is None:
        return
    with pruning(run.services.settings.data) as allowed:  # a backup needs what has become unreachable since it began
        if allowed:
            await _put_in_order(run, name, project_id)
    async with run.database.transaction() as tx:
        if allowed:
            await enqueue(tx, "repositories.measure", project_id, owner_id=run.owner_id)
        else:
            await enqueue(tx, "repositories.housekeeping", project_id, owner_id=run.owner_id, after=BACKUP_DELAY)


async def _put_in_order(run: Run, name: str, project_id: int) -> None:
    for wiki in (False, True):
        if (repo_path := await find_repo_path(run.services, name, project_id, wiki=wiki)) is not None:
            await asyncio.to_thread(sweep, repo_path)
            # Not `git maintenance`: the lock of a killed run would silently stop all later runs.
            await git.run(repo_path, "gc", "--quiet", seconds=3600)
            await git.run(
                repo_path, "commit-graph", "write", "--reachable", "--changed-paths", "--no-progress", seconds=3600
            )


async def _count_commits(repo_path: Path, ref: str) -> int:
    """The number of commits of a ref; 0 if it does not exist."""
    tip = (await refs.read_refs(repo_path, [ref])).get(ref)
    return 0 if tip is None else await count_all(repo_path, tip)
