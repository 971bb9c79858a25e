"""Creating, editing, taking over and deleting schedules and their variables."""

from datetime import UTC, datetime
from typing import Any, Final

from mujina.ci.schedules.cron import next_time
from mujina.ci.schedules.params import CreateSchedule, CreateScheduleVariable, EditSchedule, EditScheduleVariable
from mujina.ci.schedules.rules import ScheduleRow, ScheduleVariableRow
from mujina.ci.schedules.zones import find_zone
from mujina.ci.variables.operations import MAX_VALUE_LENGTH, check_key
from mujina.kernel import clock
from mujina.kernel.db.errors import unique
from mujina.kernel.db.rows import changed_columns, delete_row, insert, insert_id, timestamps, update
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import Problems
from mujina.kernel.events import record
from mujina.kernel.permissions.actor import SYSTEM, Actor
from mujina.kernel.secrets import Vault

VALUE: Final = "schedule_variable"
"""The purpose for which values are encrypted."""
# Compat: the complaint begins with a space.
BAD_SYNTAX: Final = " is invalid syntax"
MAX_LENGTH: Final = 255


async def create(tx: Tx, actor: Actor, project_id: int, change: CreateSchedule) -> int:
    """A new schedule, owned by the actor: its pipelines run with the rights that its owner has then."""
    columns = change.sent_fields()
    next_run_at = _check(columns)
    schedule_id: int = await insert_id(
        tx, "pipeline_schedules", project_id=project_id, owner_id=actor.id or None, next_run_at=next_run_at, **columns,
        **timestamps(),
    )  # fmt: skip
    changes = {name: (None, value) for name, value in columns.items()}
    await record(tx, "schedule.created", actor, subject_id=schedule_id, project_id=project_id, changes=changes)
    return schedule_id


async def edit(tx: Tx, actor: Actor, schedule: ScheduleRow, change: EditSchedule) -> None:
    """Apply the change; the next run is computed from now."""
    columns = change.sent_fields()
    attributes = {name: getattr(schedule, name) for name in ("description", "ref", "cron", "cron_timezone")}
    await _update(tx, actor, schedule, columns, next_run_at=_check(attributes | columns))


async def take_ownership(tx: Tx, actor: Actor, schedule: ScheduleRow) -> None:
    """From now on, pipelines of the schedule run with the rights of the actor; the next run is computed from now."""
    await _update(tx, actor, schedule, {"owner_id": actor.id}, next_run_at=following(schedule) or schedule.next_run_at)


async def deactivate(tx: Tx, schedule: ScheduleRow) -> None:
    """The clock starts no more pipelines, until a user activates the schedule again."""
    await _update(tx, SYSTEM, schedule, {"active": False})


async def remove(tx: Tx, actor: Actor, schedule: ScheduleRow) -> None:
    """Delete the schedule; its pipelines stay."""
    await delete_row(tx, "pipeline_schedules", "Pipeline Schedule", id=schedule.id)
    changes = {"description": (schedule.description, None)}
    await record(tx, "schedule.deleted", actor, subject_id=schedule.id, project_id=schedule.project_id, changes=changes)


async def add_variable(tx: Tx, vault: Vault, schedule: ScheduleRow, change: CreateScheduleVariable) -> None:
    problems = Problems()
    check_key(problems, change.key)
    _check_value(problems, change.value)
    columns = {**change.sent_fields(), "value": vault.encrypt(change.value, VALUE)}
    with unique("key"):
        await insert(tx, "pipeline_schedule_variables", schedule_id=schedule.id, **columns)


async def edit_variable(tx: Tx, vault: Vault, variable: ScheduleVariableRow, change: EditScheduleVariable) -> None:
    columns = change.sent_fields()
    if "value" in columns:
        _check_value(Problems(), columns["value"])
        columns["value"] = vault.encrypt(columns["value"], VALUE)
    await update(tx, "pipeline_schedule_variables", columns, id=variable.id)


async def remove_variable(tx: Tx, variable: ScheduleVariableRow) -> None:
    await tx.run("DELETE FROM pipeline_schedule_variables WHERE id = :id", id=variable.id)


def following(schedule: ScheduleRow) -> str | None:
    """When the schedule runs next, counted from now: times that were missed are made up for once, not each."""
    zone = find_zone(schedule.cron_timezone)
    found = None if zone is None else next_time(schedule.cron, zone, _now())
    return None if found is None else clock.iso(found)


def _now() -> datetime:
    return datetime.fromtimestamp(clock.timestamp(), UTC)


def _check(attributes: dict[str, Any]) -> str:
    """Refuse what cannot be a schedule; when it runs first."""
    problems = Problems()
    for name in ("description", "ref"):
        problems.require(name, attributes[name], MAX_LENGTH)
    zone = find_zone(attributes["cron_timezone"])
    if zone is None:
        problems.add("cron_timezone", BAD_SYNTAX)
    found = next_time(attributes["cron"], zone or UTC, _now())
    if found is None:
        problems.add("cron", BAD_SYNTAX)
    problems.refuse()
    assert found is not None
    return clock.iso(found)


def _check_value(problems: Problems, value: str) -> None:
    problems.limit("value", value, MAX_VALUE_LENGTH)
    problems.refuse()


async def _update(tx: Tx, actor: Actor, schedule: ScheduleRow, columns: dict[str, Any], **computed: str) -> None:
    now = clock.now()
    await update(tx, "pipeline_schedules", {**columns, **computed, "updated_at": now}, id=schedule.id)
    changes = changed_columns(schedule, columns)
    await record(tx, "schedule.updated", actor, subject_id=schedule.id, project_id=schedule.project_id, changes=changes)
