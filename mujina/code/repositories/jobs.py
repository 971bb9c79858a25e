"""Background work on repositories."""

import asyncio
import os
from datetime import timedelta
from pathlib import Path

from mujina.adapters import git, git_refs
from mujina.adapters.git_counting import count_all
from mujina.adapters.git_storage import RepositoryStorage, sweep
from mujina.code.repositories import operations
from mujina.code.repositories.changes import BRANCHES
from mujina.git import receive
from mujina.instance.application_settings.rules import read_settings
from mujina.kernel.jobs.queue import enqueue
from mujina.kernel.jobs.tasks import Run, task

MOST_PACKS = 50
"""Each push leaves one; so many are put together without being asked to."""


@task("pushes.mend")
async def mend_push(run: Run, key: str) -> None:
    """A push that was intended is recorded if its refs did move, and forgotten if they did not."""
    await receive.mend(run.services, int(key))


@task("repositories.measure")
async def measure_repository(run: Run, key: str) -> None:
    """The statistics say what is on disk, HEAD names the default branch, and what dead pushes left is swept away."""
    project_id = int(key)
    async with run.database.reading() as tx:
        found = await tx.row(
            tuple[str, str | None, str | None],
            """SELECT p.repository_storage, p.default_branch, p.wished_branch FROM projects p
               WHERE p.id = :id AND p.deleted_at IS NULL""",
            id=project_id,
        )
    if found is None:
        return
    name, default_branch, wished_branch = found
    storage = RepositoryStorage.of(run.services.settings.data, name)
    place = await storage.repository(project_id)
    if head := default_branch or wished_branch:
        await git_refs.set_head(place, head)
    commits = 0 if default_branch is None else await _length(place, BRANCHES + default_branch)
    await asyncio.to_thread(sweep, place)
    size = await asyncio.to_thread(_bytes, place)
    crowded = len(list(place.glob("objects/pack/*.pack"))) > MOST_PACKS
    async with run.database.transaction() as tx:
        if crowded and (await read_settings(tx)).housekeeping_enabled:
            await enqueue(tx, "repositories.keep_house", project_id, owner_id=run.owner_id)
        await operations.store_measures(tx, project_id, commits, size)


@task("repositories.keep_house", limit=timedelta(hours=2), long=True)
async def keep_house(run: Run, key: str) -> None:
    """The objects of a project lie in few packs, and those that nothing has led to for weeks are gone."""
    project_id = int(key)
    async with run.database.reading() as tx:
        name = await tx.value(
            "SELECT p.repository_storage FROM projects p WHERE p.id = :id AND p.deleted_at IS NULL", id=project_id
        )
    if name is None:
        return
    storage = RepositoryStorage.of(run.services.settings.data, name)
    for place in (storage.place(project_id), storage.place(project_id, wiki=True)):
        if place.exists():
            await asyncio.to_thread(sweep, place)
            # Not `maintenance`: of that, whoever was killed keeps out all others for ever, and it says nothing.
            await git.run(place, "gc", "--quiet", seconds=3600)
            await git.run(
                place, "commit-graph", "write", "--reachable", "--changed-paths", "--no-progress", seconds=3600
            )
    async with run.database.transaction() as tx:
        await enqueue(tx, "repositories.measure", project_id, owner_id=run.owner_id)


async def _length(place: Path, ref: str) -> int:
    """How many commits lead to where the ref is; 0 if it is nowhere."""
    tip = (await git_refs.read_refs(place, [ref])).get(ref)
    return 0 if tip is None else await count_all(place, tip)


def _bytes(folder: Path) -> int:
    """What the files below a folder take."""
    total = 0
    for where, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(Path(where, name)).st_size
            except FileNotFoundError:  # it was only there for a moment
                continue
    return total
