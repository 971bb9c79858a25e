"""How a project asks for approvals of its merge requests."""

from typing import Any

from mujina.kernel import clock
from mujina.kernel.db.rows import changed_columns, update
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import Problems
from mujina.kernel.events import record
from mujina.kernel.http.params import UNSET
from mujina.kernel.permissions.actor import Actor
from mujina.workspaces.projects.rules import ProjectRow
from mujina.workspaces.projects.settings import check_approvals, read_settings_of


async def configure_approvals(tx: Tx, actor: Actor, project: ProjectRow, columns: dict[str, Any]) -> None:
    """Store how the project asks for approvals: the columns of the same names."""
    problems = Problems()
    check_approvals(problems, columns.get("approvals_before_merge", UNSET))
    problems.refuse()
    before = await read_settings_of(tx, project.id)
    await update(tx, "projects", {**columns, "updated_at": clock.now()}, id=project.id)
    changes = changed_columns(before, columns)
    await record(tx, "project.updated", actor, subject_id=project.id, project_id=project.id, changes=changes)
