"""Who manages triggers, and the only way to find one."""

from mujina.ci.variables.rules import ADMIN_VARIABLES
from mujina.kernel.db.rows import Row, find_row
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.db.transaction import Tx

ADMIN_TRIGGERS = ADMIN_VARIABLES


class TriggerRow(Row, alias="tr"):
    """The columns of a trigger that operations need."""

    id: int
    project_id: int
    owner_id: int | None
    description: str
    token: str
    """Encrypted."""
    last_used: str | None
    created_at: str
    updated_at: str


def triggers_of(project_id: int) -> Selection:
    return Selection("pipeline_triggers tr", "tr.project_id = :project_id", project_id=project_id)


async def find_trigger(tx: Tx, project_id: int, trigger_id: int) -> TriggerRow:
    """The trigger of the project; 404 if there is none."""
    return await find_row(tx, TriggerRow, triggers_of(project_id).where("tr.id = :id", id=trigger_id), "Trigger")
