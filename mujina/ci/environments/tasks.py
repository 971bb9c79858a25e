"""Stopping environments whose branch was deleted."""

from mujina.ci.environments.operations import find_stop_job, stop
from mujina.ci.environments.rules import EnvironmentRow
from mujina.ci.pipelines.rules import WRITE_PIPELINES, find_job
from mujina.kernel import errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.params import Ref
from mujina.kernel.jobs.tasks import Run, task
from mujina.kernel.permissions.actor import Actor
from mujina.review.merging.sources import find_active_user


@task("environments.stop_after_deletion")
async def stop_environments(run: Run, key: str) -> None:
    """Stop the environments that were last deployed from the branch and name a job for this, as the user who deleted it.

    The key is `project id:user id:branch`.
    """
    project_id, user_id, branch = key.split(":", 2)
    async with run.database.transaction() as tx:
        actor = await find_active_user(tx, int(user_id))
        if actor is None:
            return
        rows = await tx.rows(
            EnvironmentRow,
            f"""SELECT {EnvironmentRow.columns} FROM environments en JOIN deployments d
                    ON d.id = (SELECT max(last.id) FROM deployments last WHERE last.environment_id = en.id)
                WHERE en.project_id = :project_id AND en.state = 'available' AND d.ref = :branch AND NOT d.tag
                AND d.on_stop IS NOT NULL ORDER BY en.id""",
            project_id=int(project_id), branch=branch,
        )  # fmt: skip
        for environment in rows:
            if await _may_stop(tx, actor, environment):
                await stop(tx, actor, environment)


async def _may_stop(tx: Tx, actor: Actor, environment: EnvironmentRow) -> bool:
    """Whether there is a job that stops the environment and the user may play it."""
    job_id = await find_stop_job(tx, environment.id)
    if job_id is None:
        return False
    try:
        await find_job(tx, actor, Ref.of(environment.project_id), job_id, to=WRITE_PIPELINES)
    except errors.ApiError:
        return False
    return True
