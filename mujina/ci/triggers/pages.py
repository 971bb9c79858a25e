"""The forms of the triggers of a project; its CI settings list them."""

from mujina.ci.triggers import operations
from mujina.ci.triggers.params import CreateTrigger
from mujina.ci.triggers.rules import ADMIN_TRIGGERS, find_trigger
from mujina.kernel.html.pages import PageRequest, Redirect, form
from mujina.workspaces.projects.rules import ProjectRow, changing

_LIST = "/{project}/settings/ci_cd"
_TRIGGERS = "/{project}/triggers"


@form(_TRIGGERS, to=ADMIN_TRIGGERS, again=_LIST)
async def create_trigger(request: PageRequest, project: ProjectRow, change: CreateTrigger) -> Redirect:
    async with changing(request, project, to=ADMIN_TRIGGERS) as tx:
        await operations.create(tx, request.services.vault, request.actor, project.id, change)
    return _listed(request, "Trigger added.")


@form(f"{_TRIGGERS}/{{trigger_id:int}}/take_ownership", to=ADMIN_TRIGGERS, again=_LIST)
async def take_trigger(request: PageRequest, project: ProjectRow, trigger_id: int) -> Redirect:
    async with changing(request, project, to=ADMIN_TRIGGERS) as tx:
        await operations.take_ownership(tx, request.actor, await find_trigger(tx, project.id, trigger_id))
    return _listed(request, "The trigger is yours now.")


@form(f"{_TRIGGERS}/{{trigger_id:int}}/delete", to=ADMIN_TRIGGERS, again=_LIST)
async def delete_trigger(request: PageRequest, project: ProjectRow, trigger_id: int) -> Redirect:
    async with changing(request, project, to=ADMIN_TRIGGERS) as tx:
        await operations.remove(tx, request.actor, await find_trigger(tx, project.id, trigger_id))
    return _listed(request, "Trigger removed.")


def _listed(request: PageRequest, sentence: str) -> Redirect:
    return Redirect(f"{request.here}/settings/ci_cd", flash=sentence)
