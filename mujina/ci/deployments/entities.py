"""Deployments as responses show them, and an environment with the last of its deployments."""

import msgspec

from mujina.accounts.users.entities import UserRef, refs
from mujina.ci.deployments import filters
from mujina.ci.deployments.params import ListDeployments
from mujina.ci.deployments.rules import DeploymentRow, deployments_of
from mujina.ci.environments.entities import Environment, EnvironmentRef
from mujina.ci.environments.entities import load_one as load_environment
from mujina.ci.jobs import entities as jobs
from mujina.ci.jobs.entities import PipelineJob
from mujina.code.commits.operations import Repository
from mujina.kernel.db.entities import to_entity
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.lists.pages import load_rows
from mujina.kernel.permissions.actor import Actor


class Deployment(msgspec.Struct, kw_only=True):
    # Compat: `status` and `updated_at` are younger than the specification.
    id: int
    iid: int
    ref: str
    sha: str
    status: str
    created_at: str
    updated_at: str
    user: UserRef | None
    environment: EnvironmentRef
    deployable: PipelineJob | None


class FullEnvironment(Environment, kw_only=True):
    last_deployment: Deployment | None


async def load_page(tx: Tx, code: Repository, project_id: int, query: ListDeployments, page: Page) -> Paged[Deployment]:
    """One page of the deployments of a project."""
    selection, order = filters.selected(project_id, query), filters.order(query)
    rows = await load_rows(tx, DeploymentRow, selection, order, page)
    return rows.with_items(await to_entities(tx, code, list(rows.items)))


async def load_full_environment(
    tx: Tx, actor: Actor, code: Repository, project_id: int, environment_id: int
) -> FullEnvironment:
    """The environment with what was deployed there last; 404 if there is none."""
    environment = await load_environment(tx, actor, project_id, environment_id)
    last = await last_deployments(tx, code, project_id, [environment_id])
    return to_entity(FullEnvironment, environment, last_deployment=last.get(environment_id))


async def last_deployments(
    tx: Tx, code: Repository, project_id: int, environment_ids: list[int]
) -> dict[int, Deployment]:
    """What was deployed last with success, by the id of the environment."""
    selection = deployments_of(project_id).where(
        """d.id IN (SELECT max(done.id) FROM deployments done
           WHERE done.environment_id IN :environment_ids AND done.status = 'success' GROUP BY done.environment_id)""",
        environment_ids=environment_ids,
    )
    rows = await tx.rows(DeploymentRow, f"SELECT {DeploymentRow.columns} {selection.text}", **selection.bound)
    return {each.environment.id: each for each in await to_entities(tx, code, rows)}


async def to_entities(tx: Tx, code: Repository, rows: list[DeploymentRow]) -> list[Deployment]:
    """The deployments with their users and jobs, each read by one statement for all."""
    users = {user.id: user for user in await refs(tx, [row.user_id for row in rows if row.user_id is not None])}
    deployed = await jobs.load_many(tx, code, [row.job_id for row in rows if row.job_id is not None])
    return [
        to_entity(
            Deployment, row, user=users.get(row.user_id or 0), environment=to_entity(EnvironmentRef, row.environment),
            deployable=deployed.get(row.job_id or 0),
        )
        for row in rows
    ]  # fmt: skip
