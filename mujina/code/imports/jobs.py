"""Fetching repositories from elsewhere."""

from datetime import timedelta

from mujina.adapters import git, git_copying
from mujina.adapters.git_refs import Moved
from mujina.adapters.git_storage import RepositoryStorage
from mujina.adapters.outbound_dial import Unreachable
from mujina.adapters.outbound_guard import Refused
from mujina.code.imports.operations import judged
from mujina.code.protected_branches import operations as protected_branches
from mujina.code.repositories.changes import BRANCHES, ZERO, Change, first_branch
from mujina.git import mirrors
from mujina.git.mirrors import Parted
from mujina.kernel.actor import SYSTEM, Actor
from mujina.kernel.jobs.queue import enqueue
from mujina.kernel.jobs.tasks import Run, task
from mujina.kernel.logs import log
from mujina.workspaces.projects import forks, imports, operations
from mujina.workspaces.projects.imports import PURPOSE, Import
from mujina.workspaces.projects.operations import IMPORT_NOT_ALLOWED

REASONS = {
    "Authentication failed": "The credentials were not accepted",
    "could not read Username": "The repository asks for credentials",
    "not found": "There is no repository at this address",
    "redirect": "The address leads elsewhere, and redirects are not followed",
    "error in ": "It holds something that git does not let in",
    "fsck error": "It holds something that git does not let in",
    "died of signal 25": "It is larger than imports may be",  # SIGXFSZ
    "error: 30": "The address leads elsewhere, and redirects are not followed",
}
"""What git complains of → what is said to people: its own words name more than they may know."""


@task("projects.import", limit=timedelta(hours=2), long=True)
async def import_project(run: Run, key: str) -> None:
    """The project has what its source has, or says why not; begun again after a crash, it ends the same."""
    project_id = int(key)
    async with run.database.transaction() as tx:
        wanted = await imports.begin(tx, project_id)
    if wanted is None:
        return
    branch, error = None, None
    try:
        branch = await _fetch(run, project_id, wanted)
    except Refused:
        error = IMPORT_NOT_ALLOWED
    except (Parted, Moved):
        error = "Some branches have gone their own way here and were left alone"
    except Unreachable:
        error = "The host could not be reached"
    except git.Failed as failure:
        log.warning("import failed", project=project_id, command=failure.command, code=failure.code)
        error = next((said for sign, said in REASONS.items() if sign in failure.complaint), "It could not be fetched")
    async with run.database.transaction() as tx:
        if branch is not None and await operations.adopt_default_branch(tx, project_id, branch):
            await protected_branches.protect_unless(tx, SYSTEM, project_id, branch)
        await forks.end(tx, project_id, error)
        await enqueue(tx, "repositories.measure", project_id, owner_id=run.owner_id)


@task("mirrors.refresh", every=timedelta(minutes=30))
async def refresh_mirrors(run: Run, key: str) -> None:  # noqa: ARG001 - the clock wants no particular key
    """Every mirror gets soon what its source has got."""
    async with run.database.transaction() as tx:
        for project_id, user_id in await imports.schedule_mirrors(tx):
            await enqueue(tx, "projects.import", project_id, owner_id=user_id)


async def _fetch(run: Run, project_id: int, wanted: Import) -> str | None:
    """Everything is here; which branch becomes the default one: what HEAD names there, if that is one, or the first."""
    remote = await judged(run.services, run.services.vault.decrypt(wanted.url, PURPOSE))
    place = await RepositoryStorage.of(run.services.settings.data, wanted.storage).repository(project_id)
    most = run.services.settings.max_push_megabytes * 1024 * 1024
    branch = await git_copying.head_of(remote)
    if wanted.default_branch is None:
        await git_copying.fetch(remote, place, most)
    else:
        await git_copying.fetch_aside(remote, place, most)
        await mirrors.follow(run.services, Actor(id=wanted.mirror_user_id or 0), project_id, place)
    branches = await mirrors.settle_in(place)
    if f"{BRANCHES}{branch}" in branches:
        return branch
    return first_branch([Change(ref, ZERO, tip) for ref, tip in branches.items()])
