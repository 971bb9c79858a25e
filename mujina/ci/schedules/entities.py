"""Schedules as responses show them."""

from typing import LiteralString

import msgspec
from msgspec import UNSET, UnsetType

from mujina.accounts.users.entities import RefRow, UserRef
from mujina.ci.schedules.operations import VALUE
from mujina.ci.schedules.params import ListSchedules
from mujina.ci.schedules.rules import ScheduleRow, ScheduleVariableRow, find_schedule, schedules_of, variables_of
from mujina.code.pipelines.entities import FROM
from mujina.code.pipelines.rules import READ_PIPELINES
from mujina.kernel.db.entities import Computed, to_entity
from mujina.kernel.db.rows import Row
from mujina.kernel.db.sql.selection import Selection, ascending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import Ref
from mujina.kernel.lists.pages import load_joined
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.secrets import UnreadableSecret, Vault


class ScheduleVariable(msgspec.Struct, kw_only=True):
    key: str
    variable_type: str
    value: Computed[str | None]


class LastPipeline(msgspec.Struct, kw_only=True):
    id: int
    sha: str
    ref: str
    status: str


class PipelineSchedule(msgspec.Struct, kw_only=True):
    id: int
    description: str
    ref: str
    cron: str
    cron_timezone: str
    next_run_at: str
    active: bool
    created_at: str
    updated_at: str
    owner: UserRef | None


class FullPipelineSchedule(PipelineSchedule, kw_only=True):
    last_pipeline: LastPipeline | None
    variables: list[ScheduleVariable] | UnsetType = UNSET
    """Only for those who may edit the schedule."""


class PlayedSchedule(msgspec.Struct):
    # Compat: the response does not say which pipeline it is.
    message: str = "201 Created"


class ScheduleView(ScheduleRow):
    """A schedule with its owner (`u`)."""

    owner: RefRow | None


_FROM: LiteralString = "pipeline_schedules sc LEFT JOIN users u ON u.id = sc.owner_id AND u.deleted_at IS NULL"


class _LastPipelineRow(Row, alias="pl", of=LastPipeline):
    id: int
    schedule_id: int


async def load_page(tx: Tx, project_id: int, query: ListSchedules, page: Page) -> Paged[PipelineSchedule]:
    """One page of the schedules of a project, oldest first."""
    selection = schedules_of(project_id)
    if query.scope:
        selection = selection.where("sc.active = :active", active=query.scope == "active")
    rows = await load_joined(tx, ScheduleView, _FROM, "sc.id", selection, ascending("sc.id"), page)
    return rows.map(lambda row: to_entity(PipelineSchedule, row, owner=row.owner and row.owner.shown()))


async def load_one(tx: Tx, vault: Vault, actor: Actor, id: Ref, schedule_id: int) -> FullPipelineSchedule:
    """The schedule with its last pipeline and, for those who may edit it, its variables."""
    found = await find_schedule(tx, actor, id, schedule_id)
    row = await tx.row(ScheduleView, f"SELECT {ScheduleView.columns} FROM {_FROM} WHERE sc.id = :id", id=schedule_id)
    last = await last_pipelines(tx, [schedule_id])
    variables = await variables_of(tx, schedule_id) if found.managed else None
    return to_entity(
        FullPipelineSchedule,
        found.row,
        owner=row and row.owner and row.owner.shown(),
        last_pipeline=last.get(schedule_id),
        variables=UNSET if variables is None else [to_variable(vault, row) for row in variables],
    )


async def last_pipelines(tx: Tx, schedule_ids: list[int]) -> dict[int, LastPipeline]:
    """The newest pipeline that each of these schedules has started, by the id of the schedule."""
    rows = await tx.rows(
        _LastPipelineRow,
        f"""SELECT {_LastPipelineRow.columns} FROM pipelines pl WHERE pl.id IN (
                SELECT max(started.id) FROM pipelines started WHERE started.schedule_id IN :ids
                GROUP BY started.schedule_id)""",
        ids=schedule_ids,
    )
    return {row.schedule_id: to_entity(LastPipeline, row) for row in rows}


def pipelines_of(actor: Actor, schedule_id: int) -> Selection:
    """The pipelines that the schedule has started and the actor may read."""
    return Selection(
        FROM, f"pl.schedule_id = :schedule_id AND {READ_PIPELINES.standalone}", schedule_id=schedule_id, **actor.bound
    )


def to_variable(vault: Vault, row: ScheduleVariableRow) -> ScheduleVariable:
    """The variable; without its value if the key that encrypted it is lost."""
    try:
        value = vault.decrypt(row.value, VALUE)
    except UnreadableSecret:
        value = None
    return to_entity(ScheduleVariable, row, value=value)
