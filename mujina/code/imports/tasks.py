"""Fetching repositories from another server."""

import asyncio
from datetime import timedelta
from typing import Final

from mujina.adapters.git import git
from mujina.adapters.git.refs import RefMoved
from mujina.adapters.git.storage import unlock
from mujina.adapters.git.transport import copying
from mujina.adapters.outbound.dial import HostUnreachable
from mujina.adapters.outbound.guard import OutboundForbidden
from mujina.code.imports.operations import (
    Diverged,
    drop_invalid_refs,
    explain,
    find_source,
    mail_failure,
    update_mirror,
)
from mujina.code.protected_branches import operations as protected_branches
from mujina.code.pushes.changes import BRANCHES, ZERO, Change, first_branch
from mujina.code.pushes.operations import STALE_LOCK_SECONDS
from mujina.code.pushes.repo_paths import repo_path_to_write
from mujina.kernel.jobs.queue import enqueue
from mujina.kernel.jobs.tasks import Run, task
from mujina.kernel.monitoring.logs import log
from mujina.kernel.permissions.actor import SYSTEM, Actor
from mujina.kernel.secrets import UnreadableSecret
from mujina.kernel.storage.errors import StorageMissing
from mujina.workspaces.projects import operations
from mujina.workspaces.projects.operations import IMPORT_NOT_ALLOWED
from mujina.workspaces.projects.origins import forks, imports
from mujina.workspaces.projects.origins.imports import Import
from mujina.workspaces.projects.removing.deleted_meanwhile import of_project

MAX_LOCKED_ATTEMPTS: Final = 8
"""Runs that find a ref locked: before the last, the lock of a git that was killed is old enough to be removed."""


@task("projects.import", limit=timedelta(hours=2), long=True)
@of_project
async def import_project(run: Run, project_id: int) -> None:
    """The project has the refs of its source, or an import error; a run after a crash has the same result."""
    async with run.database.transaction() as tx:
        importing = await imports.begin(tx, project_id)
    if importing is None:
        return
    branch, error = None, None
    try:
        branch = await _fetch(run, project_id, importing)
    except OutboundForbidden:
        error = IMPORT_NOT_ALLOWED
    except (Diverged, RefMoved):
        error = "Some branches have gone their own way here and were left alone"
    except StorageMissing as missing:
        error = missing.sentence
    except HostUnreachable:
        error = "The host could not be reached"
    except UnreadableSecret:
        error = "The address or the key cannot be decrypted: enter the address again"
    except git.GitCommandError as failure:
        if failure.locked and run.attempt < MAX_LOCKED_ATTEMPTS:
            raise
        log.warning("import failed", project=project_id, command=failure.command, code=failure.code)
        error = explain(failure, "It could not be fetched")
    async with run.database.transaction() as tx:
        if branch is not None and await operations.adopt_default_branch(tx, project_id, branch):
            await protected_branches.protect_if_unprotected(tx, SYSTEM, project_id, branch)
        await forks.end(tx, project_id, error)
        if error is not None and importing.begins_to_fail:
            await mail_failure(tx, importing.mirror_user_id)
        await enqueue(tx, "repositories.measure", project_id, owner_id=run.owner_id)


@task("mirrors.refresh", every=timedelta(minutes=30))
async def refresh_mirrors(run: Run, key: str) -> None:  # noqa: ARG001 - a scheduled task has no key
    """Enqueue an update of every mirror."""
    async with run.database.transaction() as tx:
        for project_id, user_id in await imports.schedule_mirrors(tx):
            await enqueue(tx, "projects.import", project_id, owner_id=user_id)


async def _fetch(run: Run, project_id: int, importing: Import) -> str | None:
    """Fetch everything. The future default branch: the one that the remote's HEAD names, or the first one."""
    remote = await find_source(run.services, importing)
    repo_path = await repo_path_to_write(run.services, importing.storage, project_id)
    await asyncio.to_thread(unlock, repo_path, STALE_LOCK_SECONDS)
    max_bytes = run.services.settings.max_push_megabytes * 1024 * 1024
    branch = await copying.head_of(remote)
    if importing.default_branch is None:
        await copying.fetch(remote, repo_path, max_bytes)
    else:
        await copying.fetch_mirror(remote, repo_path, max_bytes)
        await update_mirror(run.services, Actor(id=importing.mirror_user_id or 0), project_id, repo_path)
    branches = await drop_invalid_refs(repo_path)
    if f"{BRANCHES}{branch}" in branches:
        return branch
    return first_branch([Change(ref, ZERO, tip) for ref, tip in branches.items()])
