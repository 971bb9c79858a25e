"""Triggers of projects."""

from mujina.ci.triggers import entities, operations, starting
from mujina.ci.triggers.entities import Trigger
from mujina.ci.triggers.params import CreateTrigger, EditTrigger, TriggerPipeline, TriggerRef
from mujina.ci.triggers.rules import ADMIN_TRIGGERS, find_trigger
from mujina.code.pipelines import entities as pipelines
from mujina.code.pipelines.entities import FullPipeline
from mujina.kernel import errors
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import Segment, delete, get, post, put
from mujina.workspaces.projects.rules import find_project


@get("/projects/:id/triggers")
async def list_triggers(call: Call, id: Ref, page: Page) -> Paged[Trigger]:
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=ADMIN_TRIGGERS)
        return await entities.load_page(tx, call.services.vault, call.actor, project.id, page)


@get("/projects/:id/triggers/:trigger_id")
async def show_trigger(call: Call, id: Ref, trigger_id: int) -> Trigger:
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=ADMIN_TRIGGERS)
        trigger = await find_trigger(tx, project.id, trigger_id)
        return await entities.load_one(tx, call.services.vault, call.actor, trigger.id)


@post("/projects/:id/triggers")
async def create_trigger(call: Call, id: Ref, change: CreateTrigger) -> Trigger:
    async with call.transaction() as tx:
        project = await find_project(tx, call.actor, id, to=ADMIN_TRIGGERS)
        trigger_id = await operations.create(tx, call.services.vault, call.actor, project.id, change)
        return await entities.load_one(tx, call.services.vault, call.actor, trigger_id)


@put("/projects/:id/triggers/:trigger_id")
async def edit_trigger(call: Call, id: Ref, trigger_id: int, change: EditTrigger) -> Trigger:
    async with call.transaction() as tx:
        project = await find_project(tx, call.actor, id, to=ADMIN_TRIGGERS)
        await operations.edit(tx, call.actor, await find_trigger(tx, project.id, trigger_id), change)
        return await entities.load_one(tx, call.services.vault, call.actor, trigger_id)


@post("/projects/:id/triggers/:trigger_id/take_ownership", status=200)
async def take_trigger(call: Call, id: Ref, trigger_id: int) -> Trigger:
    """Make the caller the owner of the trigger."""
    async with call.transaction() as tx:
        project = await find_project(tx, call.actor, id, to=ADMIN_TRIGGERS)
        await operations.take_ownership(tx, call.actor, await find_trigger(tx, project.id, trigger_id))
        return await entities.load_one(tx, call.services.vault, call.actor, trigger_id)


@delete("/projects/:id/triggers/:trigger_id")
async def delete_trigger(call: Call, id: Ref, trigger_id: int) -> None:
    async with call.transaction() as tx:
        project = await find_project(tx, call.actor, id, to=ADMIN_TRIGGERS)
        trigger = await find_trigger(tx, project.id, trigger_id)
        call.unless_modified(trigger.updated_at)
        await operations.remove(tx, call.actor, trigger)


@post("/projects/:id/trigger/pipeline", anonymous=True)
async def trigger_pipeline(call: Call, id: Ref, query: TriggerPipeline) -> FullPipeline:
    """Start a pipeline with the token of a trigger or of a running job."""
    return await _start(call, id, query.ref, query)


@post("/projects/:id/ref/:ref/trigger/pipeline", anonymous=True)
async def trigger_pipeline_of_ref(call: Call, id: Ref, ref: Segment, query: TriggerRef) -> FullPipeline:
    """Start a pipeline of the ref with the token of a trigger or of a running job."""
    return await _start(call, id, ref, query)


async def _start(call: Call, id: Ref, ref: str, query: TriggerRef) -> FullPipeline:
    variables = starting.read_variables(query.variables)
    started = await starting.start_pipeline(call.services, id, query.token, ref, variables)
    async with call.reading() as tx:
        found = await pipelines.full(tx, started.actor, started.pipeline_id)
        return errors.or_not_found(found, "Pipeline")
