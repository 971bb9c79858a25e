"""The forms of the triggers of a project; its CI settings list them."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from mujina.ci.triggers import operations
from mujina.ci.triggers.params import CreateTrigger
from mujina.ci.triggers.rules import ADMIN_TRIGGERS, TriggerRow, find_trigger
from mujina.kernel.db.transaction import Tx
from mujina.kernel.html.pages import PageRequest, Redirect, form
from mujina.kernel.http.params import Ref
from mujina.workspaces.projects.rules import ProjectRow, find_project

_LIST = "/{project}/settings/ci_cd"
_TRIGGERS = "/{project}/triggers"


@form(_TRIGGERS, to=ADMIN_TRIGGERS, again=_LIST)
async def create_trigger(request: PageRequest, project: ProjectRow, change: CreateTrigger) -> Redirect:
    async with request.transaction() as tx:
        await find_project(tx, request.actor, Ref.of(project.id), to=ADMIN_TRIGGERS)
        await operations.create(tx, request.services.vault, request.actor, project.id, change)
    return _listed(request, "Trigger added.")


@form(f"{_TRIGGERS}/{{trigger_id:int}}/take_ownership", to=ADMIN_TRIGGERS, again=_LIST)
async def take_trigger(request: PageRequest, project: ProjectRow, trigger_id: int) -> Redirect:
    async with _changing(request, project, trigger_id) as (tx, trigger):
        await operations.take_ownership(tx, request.actor, trigger)
    return _listed(request, "The trigger is yours now.")


@form(f"{_TRIGGERS}/{{trigger_id:int}}/delete", to=ADMIN_TRIGGERS, again=_LIST)
async def delete_trigger(request: PageRequest, project: ProjectRow, trigger_id: int) -> Redirect:
    async with _changing(request, project, trigger_id) as (tx, trigger):
        await operations.remove(tx, request.actor, trigger)
    return _listed(request, "Trigger removed.")


@asynccontextmanager
async def _changing(
    request: PageRequest, project: ProjectRow, trigger_id: int
) -> AsyncGenerator[tuple[Tx, TriggerRow]]:
    """A transaction in which the actor may still change the trigger."""
    async with request.transaction() as tx:
        await find_project(tx, request.actor, Ref.of(project.id), to=ADMIN_TRIGGERS)
        yield tx, await find_trigger(tx, project.id, trigger_id)


def _listed(request: PageRequest, sentence: str) -> Redirect:
    return Redirect(f"{request.here}/settings/ci_cd", flash=sentence)
