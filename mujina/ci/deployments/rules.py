"""The deployments of a project, and the only way to find one."""

from mujina.ci.environments.rules import EnvironmentRow
from mujina.kernel.db.rows import Row, find_row
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.db.transaction import Tx


class DeploymentRow(Row, alias="d"):
    """A deployment with its environment (`en`)."""

    id: int
    iid: int
    ref: str
    sha: str
    status: str
    job_id: int | None
    user_id: int | None
    created_at: str
    updated_at: str
    environment: EnvironmentRow


def deployments_of(project_id: int) -> Selection:
    return Selection(
        "deployments d JOIN environments en ON en.id = d.environment_id",
        "d.project_id = :project_id",
        project_id=project_id,
    )


async def find_deployment(tx: Tx, project_id: int, deployment_id: int) -> DeploymentRow:
    """The deployment of the project; 404 if there is none."""
    selection = deployments_of(project_id).where("d.id = :id", id=deployment_id)
    return await find_row(tx, DeploymentRow, selection, "Deployment")
