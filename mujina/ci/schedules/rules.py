"""Who reads and manages schedules, and the only way to find one."""

from typing import Final

import msgspec

from mujina.code.pipelines.rules import READ_PIPELINES
from mujina.kernel import errors
from mujina.kernel.db.rows import Row, find_row
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.permissions.rules import admin
from mujina.workspaces.members.access import developer, master
from mujina.workspaces.projects.rules import archived, find_project_with, jobs_enabled

READ_SCHEDULES: Final = READ_PIPELINES & jobs_enabled
CREATE_SCHEDULE: Final = READ_SCHEDULES & (developer | admin) & ~archived
"""Also permission to run one at once."""
ADMIN_SCHEDULES: Final = READ_SCHEDULES & (master | admin) & ~archived
"""Manage the schedules of others."""


class ScheduleRow(Row, alias="sc"):
    """The columns of a schedule that operations need."""

    id: int
    project_id: int
    owner_id: int | None
    description: str
    ref: str
    cron: str
    cron_timezone: str
    next_run_at: str
    due_at: str | None
    active: bool
    created_at: str
    updated_at: str


class ScheduleVariableRow(Row, alias="sv"):
    id: int
    key: str
    value: str
    """Encrypted."""
    variable_type: str


def schedules_of(project_id: int) -> Selection:
    return Selection("pipeline_schedules sc", "sc.project_id = :project_id", project_id=project_id)


class FoundSchedule(msgspec.Struct, frozen=True):
    """A schedule, and what the actor may do with it."""

    row: ScheduleRow
    playable: bool
    managed: bool
    """May edit it and read its variables: their own while they are a developer, or any as a master."""


async def find_schedule(tx: Tx, actor: Actor, id: Ref, schedule_id: int) -> FoundSchedule:
    """The schedule of the project; 404 if there is none."""
    project, _, [playable, master] = await find_project_with(
        tx, actor, id, "p.id", (CREATE_SCHEDULE, ADMIN_SCHEDULES), to=READ_SCHEDULES
    )
    selection = schedules_of(project.id).where("sc.id = :id", id=schedule_id)
    schedule = await find_row(tx, ScheduleRow, selection, "Pipeline Schedule")
    return FoundSchedule(schedule, playable, master or (playable and schedule.owner_id == actor.id))


async def find_managed_schedule(tx: Tx, actor: Actor, id: Ref, schedule_id: int) -> ScheduleRow:
    """The schedule, if the actor may edit it; 403 otherwise."""
    found = await find_schedule(tx, actor, id, schedule_id)
    if not found.managed:
        raise errors.forbidden()
    return found.row


async def find_schedule_variable(tx: Tx, schedule_id: int, key: str) -> ScheduleVariableRow:
    selection = Selection(
        "pipeline_schedule_variables sv",
        "sv.schedule_id = :schedule_id AND sv.key = :key",
        schedule_id=schedule_id,
        key=key,
    )
    return await find_row(tx, ScheduleVariableRow, selection, "Pipeline Schedule Variable")


async def variables_of(tx: Tx, schedule_id: int) -> list[ScheduleVariableRow]:
    return await tx.rows(
        ScheduleVariableRow,
        f"""SELECT {ScheduleVariableRow.columns} FROM pipeline_schedule_variables sv WHERE sv.schedule_id = :id
            ORDER BY sv.id""",
        id=schedule_id,
    )
