"""Who reads and manages environments, and the only way to find one."""

from typing import Final

from mujina.kernel.db.rows import Row, find_row
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.permissions.rules import admin
from mujina.workspaces.members.access import developer, master, reporter
from mujina.workspaces.projects.rules import archived, jobs_enabled

READ_ENVIRONMENTS: Final = (reporter | admin) & jobs_enabled
"""Also permission to read deployments."""
CREATE_ENVIRONMENT: Final = (developer | admin) & jobs_enabled & ~archived
STOP_ENVIRONMENT: Final = CREATE_ENVIRONMENT
ADMIN_ENVIRONMENT: Final = (master | admin) & jobs_enabled & ~archived


class EnvironmentRow(Row, alias="en"):
    id: int
    project_id: int
    name: str
    slug: str
    external_url: str | None
    state: str
    tier: str | None
    auto_stop_at: str | None
    created_at: str
    updated_at: str


def environments_of(project_id: int) -> Selection:
    return Selection("environments en", "en.project_id = :project_id", project_id=project_id)


async def find_environment(tx: Tx, project_id: int, environment_id: int) -> EnvironmentRow:
    """The environment of the project; 404 if there is none."""
    selection = environments_of(project_id).where("en.id = :id", id=environment_id)
    return await find_row(tx, EnvironmentRow, selection, "Environment")
