"""Ending what users lose with their access, in short transactions."""

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
    last = 0
    while True:
        async with run.database.reading() as tx:
            project_ids = await operations.projects_after(tx, loss, last)
        if not project_ids:
            return
        for last in project_ids:
            after = 0
            while True:
                async with run.database.reading() as tx:
                    user_ids = await operations.users_of_project_after(tx, loss, last, after)
                if not user_ids:
                    break
                async with run.database.transaction() as tx:
                    await operations.end_in_project(tx, loss, last, user_ids)
                after = user_ids[-1]


async def _end_in_groups(run: Run, loss: AccessLoss) -> None:
    last = 0
    while True:
        async with run.database.reading() as tx:
            group_ids = await operations.groups_after(tx, loss, last)
        if not group_ids:
            return
        for last in group_ids:
            after = 0
            while True:
                async with run.database.reading() as tx:
                    user_ids = await operations.users_of_group_after(tx, last, after)
                if not user_ids:
                    break
                async with run.database.transaction() as tx:
                    await operations.end_in_group(tx, last, user_ids)
                after = user_ids[-1]
