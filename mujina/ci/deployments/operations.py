"""Recording what a job that succeeded has deployed or stopped, and what other systems report."""

from typing import Annotated, Any, Final

import msgspec

from mujina.ci.deployments.params import CreateDeployment, EditDeployment
from mujina.ci.deployments.rules import DeploymentRow
from mujina.ci.environments import operations as environments
from mujina.ci.environments.rules import EnvironmentRow
from mujina.ci.language.config import JobConfig
from mujina.ci.variables.dotenv import read_reported
from mujina.ci.variables.job_variables import load_job_variables
from mujina.ci.variables.values import effective
from mujina.kernel import clock, errors
from mujina.kernel.db.rows import Row, insert_numbered, timestamps, update
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import Problems
from mujina.kernel.events import record
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.services import Services

MAX_LENGTH: Final = 255
OF_JOB: Final = "Deployment of a job"


class DeployingJob(Row, alias="j"):
    """A job that succeeded, with its pipeline (`pl`) and its environment (`en`)."""

    id: int
    user_id: int | None
    ref: Annotated[str, "pl.ref"]
    tag: Annotated[bool, "pl.tag"]
    sha: Annotated[str, "pl.sha"]
    environment: EnvironmentRow
    options: str


async def record_outcome(tx: Tx, services: Services, job_id: int) -> None:
    """A job that starts an environment has made a deployment, once; one that stops it has stopped it."""
    job = await tx.row(
        DeployingJob,
        f"""SELECT {DeployingJob.columns} FROM pipeline_jobs j JOIN pipelines pl ON pl.id = j.pipeline_id
            JOIN environments en ON en.project_id = j.project_id AND en.name = j.environment
            WHERE j.id = :id AND j.status = 'success' FOR UPDATE OF en""",
        id=job_id,
    )
    declared = None if job is None else msgspec.json.decode(job.options, type=JobConfig).environment
    if job is None or declared is None:
        return
    actor = Actor(id=job.user_id or 0)
    if declared.action == "stop":
        await environments.close(tx, actor, job.environment)
    elif declared.action == "start" and not await _is_recorded(tx, job.id):
        reported = await read_reported(tx, services, job.id)
        variables = effective(await load_job_variables(tx, services, job.id, reported))
        await environments.open_at(tx, actor, job.environment, variables.get("CI_ENVIRONMENT_URL"), declared)
        columns = {"job_id": job.id, "user_id": job.user_id, "ref": job.ref, "tag": job.tag, "sha": job.sha}
        await _insert(tx, actor, job.environment, {**columns, "on_stop": declared.on_stop})


async def _is_recorded(tx: Tx, job_id: int) -> bool:
    return await tx.value("SELECT 1 FROM deployments d WHERE d.job_id = :id", id=job_id) is not None


async def report(tx: Tx, actor: Actor, project_id: int, change: CreateDeployment) -> int:
    """A deployment that another system has made; its environment is created if there is none."""
    problems = Problems()
    problems.require("ref", change.ref, MAX_LENGTH)
    problems.refuse()
    environment = await environments.find_or_create(tx, actor, project_id, change.environment)
    if change.status == "success":
        await environments.open_at(tx, actor, environment, None)
    columns = {"ref": change.ref, "tag": change.tag, "sha": change.sha, "status": change.status, "user_id": actor.id}
    return await _insert(tx, actor, environment, columns)


async def edit(tx: Tx, actor: Actor, deployment: DeploymentRow, change: EditDeployment) -> None:
    """The outcome of a deployment that another system has made; 403 for that of a job."""
    if deployment.job_id is not None:
        raise errors.forbidden(OF_JOB)
    if change.status == deployment.status:
        return
    await update(tx, "deployments", {"status": change.status, "updated_at": clock.now()}, id=deployment.id)
    await record(
        tx, "deployment.updated", actor, subject_id=deployment.id, project_id=deployment.environment.project_id,
        changes={"status": (deployment.status, change.status)},
    )  # fmt: skip


async def _insert(tx: Tx, actor: Actor, environment: EnvironmentRow, columns: dict[str, Any]) -> int:
    placed = {**columns, "project_id": environment.project_id, "environment_id": environment.id, **timestamps()}
    [deployment_id] = await insert_numbered(
        tx, tuple[int], "deployments", placed, iid="next_iid('project', :project_id, 'deployment')", returning="id"
    )
    await record(
        tx, "deployment.created", actor, subject_id=deployment_id, project_id=environment.project_id,
        changes={"environment": (None, environment.name), "ref": columns["ref"], "sha": columns["sha"]},
    )  # fmt: skip
    return deployment_id
