"""Schedules of a project's pipelines, and the variables of a schedule."""

from mujina.ci.schedules import entities, operations, running
from mujina.ci.schedules.entities import (
    FullPipelineSchedule,
    PipelineSchedule,
    PlayedSchedule,
    ScheduleVariable,
    to_variable,
)
from mujina.ci.schedules.params import (
    CreateSchedule,
    CreateScheduleVariable,
    EditSchedule,
    EditScheduleVariable,
    ListSchedules,
)
from mujina.ci.schedules.rules import (
    CREATE_SCHEDULE,
    READ_SCHEDULES,
    find_managed_schedule,
    find_schedule,
    find_schedule_variable,
)
from mujina.code.pipelines import entities as pipelines
from mujina.code.pipelines.entities import Pipeline
from mujina.kernel import errors
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import Segment, delete, get, post, put
from mujina.workspaces.projects.rules import find_project


@get("/projects/:id/pipeline_schedules")
async def list_schedules(call: Call, id: Ref, query: ListSchedules, page: Page) -> Paged[PipelineSchedule]:
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=READ_SCHEDULES)
        return await entities.load_page(tx, project.id, query, page)


@get("/projects/:id/pipeline_schedules/:schedule_id")
async def show_schedule(call: Call, id: Ref, schedule_id: int) -> FullPipelineSchedule:
    async with call.reading() as tx:
        return await entities.load_one(tx, call.services.vault, call.actor, id, schedule_id)


@post("/projects/:id/pipeline_schedules")
async def create_schedule(call: Call, id: Ref, change: CreateSchedule) -> FullPipelineSchedule:
    async with call.transaction() as tx:
        project = await find_project(tx, call.actor, id, to=CREATE_SCHEDULE)
        schedule_id = await operations.create(tx, call.actor, project.id, change)
        return await entities.load_one(tx, call.services.vault, call.actor, id, schedule_id)


@put("/projects/:id/pipeline_schedules/:schedule_id")
async def edit_schedule(call: Call, id: Ref, schedule_id: int, change: EditSchedule) -> FullPipelineSchedule:
    async with call.transaction() as tx:
        schedule = await find_managed_schedule(tx, call.actor, id, schedule_id)
        await operations.edit(tx, call.actor, schedule, change)
        return await entities.load_one(tx, call.services.vault, call.actor, id, schedule_id)


@post("/projects/:id/pipeline_schedules/:schedule_id/take_ownership")
async def take_schedule(call: Call, id: Ref, schedule_id: int) -> FullPipelineSchedule:
    """Make the caller the owner of the schedule."""
    async with call.transaction() as tx:
        schedule = await find_managed_schedule(tx, call.actor, id, schedule_id)
        await operations.take_ownership(tx, call.actor, schedule)
        return await entities.load_one(tx, call.services.vault, call.actor, id, schedule_id)


@delete("/projects/:id/pipeline_schedules/:schedule_id")
async def delete_schedule(call: Call, id: Ref, schedule_id: int) -> None:
    async with call.transaction() as tx:
        schedule = await find_managed_schedule(tx, call.actor, id, schedule_id)
        call.unless_modified(schedule.updated_at)
        await operations.remove(tx, call.actor, schedule)


# Compat: running a schedule at once and the list of its pipelines are younger than the specification.
@get("/projects/:id/pipeline_schedules/:schedule_id/pipelines")
async def list_schedule_pipelines(call: Call, id: Ref, schedule_id: int, page: Page) -> Paged[Pipeline]:
    """List the pipelines that the schedule has started, the newest first."""
    async with call.reading() as tx:
        found = await find_schedule(tx, call.actor, id, schedule_id)
        return await pipelines.load_page(tx, entities.pipelines_of(call.actor, found.row.id), page)


@post("/projects/:id/pipeline_schedules/:schedule_id/play")
async def play_schedule(call: Call, id: Ref, schedule_id: int) -> PlayedSchedule:
    """Start a pipeline of the schedule now, as the caller."""
    async with call.reading() as tx:
        found = await find_schedule(tx, call.actor, id, schedule_id)
    if not found.playable:
        raise errors.forbidden()
    await running.start_pipeline(call.services, call.actor, found.row)
    return PlayedSchedule()


@post("/projects/:id/pipeline_schedules/:schedule_id/variables")
async def create_schedule_variable(
    call: Call, id: Ref, schedule_id: int, change: CreateScheduleVariable
) -> ScheduleVariable:
    async with call.transaction() as tx:
        schedule = await find_managed_schedule(tx, call.actor, id, schedule_id)
        await operations.add_variable(tx, call.services.vault, schedule, change)
        return to_variable(call.services.vault, await find_schedule_variable(tx, schedule.id, change.key))


@put("/projects/:id/pipeline_schedules/:schedule_id/variables/:key")
async def edit_schedule_variable(
    call: Call, id: Ref, schedule_id: int, key: Segment, change: EditScheduleVariable
) -> ScheduleVariable:
    async with call.transaction() as tx:
        schedule = await find_managed_schedule(tx, call.actor, id, schedule_id)
        variable = await find_schedule_variable(tx, schedule.id, key)
        await operations.edit_variable(tx, call.services.vault, variable, change)
        return to_variable(call.services.vault, await find_schedule_variable(tx, schedule.id, key))


# Compat: 202 with the variable.
@delete("/projects/:id/pipeline_schedules/:schedule_id/variables/:key", status=202)
async def delete_schedule_variable(call: Call, id: Ref, schedule_id: int, key: Segment) -> ScheduleVariable:
    async with call.transaction() as tx:
        schedule = await find_managed_schedule(tx, call.actor, id, schedule_id)
        variable = await find_schedule_variable(tx, schedule.id, key)
        await operations.remove_variable(tx, variable)
        return to_variable(call.services.vault, variable)
