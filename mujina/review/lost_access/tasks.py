"""Ending what users lose with their access, in short transactions."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from functools import partial

from mujina.kernel.jobs.tasks import Run, task
from mujina.review.lost_access import operations
from mujina.review.lost_access.operations import END, AccessLoss


@task(END)
async def end_lost_access(run: Run, key: str) -> None:
    """End what the event with this id took from users. What is ended already stays so, if the job starts again."""
    async with run.database.reading() as tx:
        loss = await operations.find_loss(tx, int(key))
    if loss is not None:
        await _end_in_projects(run, loss)
        await _end_in_groups(run, loss)


async def _end_in_projects(run: Run, loss: AccessLoss) -> None:
    async for projects in _parts(run, partial(operations.projects_after, loss=loss)):
        for project_id in projects:
            found = partial(operations.users_of_project_after, loss=loss, project_id=project_id)
            async for users in _parts(run, found):
                async with run.database.transaction() as tx:
                    await operations.end_in_project(tx, loss, project_id, users)


async def _end_in_groups(run: Run, loss: AccessLoss) -> None:
    async for groups in _parts(run, partial(operations.groups_after, loss=loss)):
        for group_id in groups:
            async for users in _parts(run, partial(operations.users_of_group_after, group_id=group_id)):
                async with run.database.transaction() as tx:
                    await operations.end_in_group(tx, group_id, users)


async def _parts(run: Run, read: Callable[..., Awaitable[list[int]]]) -> AsyncGenerator[list[int]]:
    """Ids, part by part: `read` finds those `after` the last one of the part before."""
    after = 0
    while True:
        async with run.database.reading() as tx:
            ids = await read(tx, after=after)
        if not ids:
            return
        yield ids
        after = ids[-1]
