"""Stopping environments whose branch was deleted, and those whose time has come."""

from datetime import timedelta
from typing import Final

from mujina.accounts.users.rules import find_active_actor
from mujina.ci.environments.operations import close, find_stop_job, may_stop, stop
from mujina.ci.environments.rules import EnvironmentRow
from mujina.kernel import clock
from mujina.kernel.db.transaction import Tx
from mujina.kernel.jobs.tasks import Run, task
from mujina.kernel.permissions.actor import SYSTEM

BATCH: Final = 100


@task("environments.stop_due", every=timedelta(minutes=1))
async def stop_due_environments(run: Run, key: str) -> None:  # noqa: ARG001 - there is one instance
    """Stop the environments whose `auto_stop_in` is over, each once, whatever process does it."""
    stopped = BATCH
    while stopped == BATCH:
        async with run.database.reading() as tx:
            due: list[int] = await tx.values(
                """SELECT en.id FROM environments en WHERE en.state = 'available' AND en.auto_stop_at <= :now
                   ORDER BY en.auto_stop_at, en.id LIMIT :batch""",
                now=clock.now(),
                batch=BATCH,
            )
        for environment_id in due:
            async with run.database.transaction() as tx:
                await _stop_due(tx, environment_id)
        stopped = len(due)


async def _stop_due(tx: Tx, environment_id: int) -> None:
    """Stop the environment as the user who deployed last; the job that does it runs if they still may play it."""
    environment = await tx.row(
        EnvironmentRow,
        f"""SELECT {EnvironmentRow.columns} FROM environments en
            WHERE en.id = :id AND en.state = 'available' AND en.auto_stop_at <= :now FOR UPDATE""",
        id=environment_id,
        now=clock.now(),
    )
    if environment is None:
        return
    user_id = await tx.value(
        "SELECT d.user_id FROM deployments d WHERE d.environment_id = :id ORDER BY d.id DESC LIMIT 1",
        id=environment_id,
    )
    actor = await find_active_actor(tx, user_id or 0)
    if actor is not None and await may_stop(tx, actor, environment):
        await stop(tx, actor, environment)
    else:
        await close(tx, actor or SYSTEM, environment)


@task("environments.stop_after_deletion")
async def stop_environments(run: Run, key: str) -> None:
    """Stop the environments that were last deployed from the branch and name a job for this, as the user who deleted it.

    The key is `project id:user id:branch`.
    """
    project_id, user_id, branch = key.split(":", 2)
    async with run.database.transaction() as tx:
        actor = await find_active_actor(tx, int(user_id))
        if actor is None:
            return
        rows = await tx.rows(
            EnvironmentRow,
            f"""SELECT {EnvironmentRow.columns} FROM environments en JOIN deployments d
                    ON d.id = (SELECT max(last.id) FROM deployments last WHERE last.environment_id = en.id)
                WHERE en.project_id = :project_id AND en.state = 'available' AND d.ref = :branch AND NOT d.tag
                AND d.on_stop IS NOT NULL ORDER BY en.id""",
            project_id=int(project_id),
            branch=branch,
        )
        for environment in rows:
            if await find_stop_job(tx, environment.id) is not None and await may_stop(tx, actor, environment):
                await stop(tx, actor, environment)
