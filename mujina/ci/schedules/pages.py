"""The schedules of a project: the list, the forms, and the variables of a schedule."""

from msgspec import structs

from mujina.ci.schedules import entities, operations, running
from mujina.ci.schedules.params import (
    CreateSchedule,
    CreateScheduleVariable,
    EditSchedule,
    EditScheduleVariable,
    FilterSchedules,
    ShowSchedule,
)
from mujina.ci.schedules.rules import (
    ADMIN_SCHEDULES,
    CREATE_SCHEDULE,
    READ_SCHEDULES,
    find_managed_schedule,
    find_schedule,
    find_schedule_variable,
)
from mujina.ci.schedules.zones import ENGLISH_ZONES
from mujina.ci.variables.values import typed_text
from mujina.code.commits.operations import code_of
from mujina.code.repositories.browsing import ref_menu
from mujina.kernel import errors
from mujina.kernel.html.pages import HtmlPage, PageRequest, Redirect, form, view
from mujina.kernel.http.paging import Page
from mujina.kernel.http.params import Ref
from mujina.workspaces.projects.rules import ProjectRow, changing

_ALL = "/{project}/pipeline_schedules"
_ONE = f"{_ALL}/{{schedule_id:int}}"
_EDIT = f"{_ONE}/edit"
_RIGHTS = {"create": CREATE_SCHEDULE, "admin": ADMIN_SCHEDULES}


@view(_ALL, to=READ_SCHEDULES, rights=_RIGHTS)
async def show_schedules(request: PageRequest, project: ProjectRow, query: FilterSchedules, page: Page) -> HtmlPage:
    async with request.reading() as tx:
        found = await entities.load_page(tx, project.id, query.listed, page)
        last = await entities.last_pipelines(tx, [schedule.id for schedule in found.items])
    return HtmlPage("ci/schedules.html", {"schedules": found, "last": last, "query": query})


@view(f"{_ALL}/new", to=CREATE_SCHEDULE, anonymous=False)
async def show_new_schedule(request: PageRequest, project: ProjectRow) -> HtmlPage:
    context = {"schedule": None, "reveal": False, "edit": "", **await _choices(request, project)}
    return HtmlPage("ci/schedule_form.html", context)


@form(_ALL, to=CREATE_SCHEDULE, again=f"{_ALL}/new")
async def create_schedule(request: PageRequest, project: ProjectRow) -> Redirect:
    change = request.read_form(CreateSchedule, "schedule")
    async with changing(request, project, to=CREATE_SCHEDULE) as tx:
        schedule_id = await operations.create(tx, request.actor, project.id, change)
    return Redirect(f"{_address(request)}/{schedule_id}/edit", flash="Schedule created.")


@view(_EDIT, to=READ_SCHEDULES, anonymous=False)
async def show_schedule(request: PageRequest, project: ProjectRow, schedule_id: int, query: ShowSchedule) -> HtmlPage:
    here = Ref.of(project.id)
    async with request.reading() as tx:
        await find_managed_schedule(tx, request.actor, here, schedule_id)
        schedule = await entities.load_one(tx, request.services.vault, request.actor, here, schedule_id)
    context = {"schedule": schedule, "reveal": query.reveal, "edit": query.edit, **await _choices(request, project)}
    return HtmlPage("ci/schedule_form.html", context)


@form(_ONE, to=READ_SCHEDULES, again=_EDIT)
async def save_schedule(request: PageRequest, project: ProjectRow, schedule_id: int) -> Redirect:
    change = request.read_form(EditSchedule, "schedule")
    async with request.transaction() as tx:
        schedule = await find_managed_schedule(tx, request.actor, Ref.of(project.id), schedule_id)
        await operations.edit(tx, request.actor, schedule, change)
    return Redirect(_address(request), flash="Changes saved.")


@form(f"{_ONE}/play", to=READ_SCHEDULES, again=_ALL)
async def play_schedule(request: PageRequest, project: ProjectRow, schedule_id: int) -> Redirect:
    async with request.reading() as tx:
        found = await find_schedule(tx, request.actor, Ref.of(project.id), schedule_id)
    if not found.playable:
        raise errors.forbidden()
    pipeline_id = await running.start_pipeline(request.services, request.actor, found.row)
    return Redirect(_address(request), flash=f"Pipeline #{pipeline_id} was started.")


@form(f"{_ONE}/take_ownership", to=READ_SCHEDULES, again=_ALL)
async def take_schedule(request: PageRequest, project: ProjectRow, schedule_id: int) -> Redirect:
    async with request.transaction() as tx:
        schedule = await find_managed_schedule(tx, request.actor, Ref.of(project.id), schedule_id)
        await operations.take_ownership(tx, request.actor, schedule)
    return Redirect(_address(request), flash="The schedule is yours now.")


@form(f"{_ONE}/delete", to=READ_SCHEDULES, again=_EDIT)
async def delete_schedule(request: PageRequest, project: ProjectRow, schedule_id: int) -> Redirect:
    async with request.transaction() as tx:
        schedule = await find_managed_schedule(tx, request.actor, Ref.of(project.id), schedule_id)
        await operations.remove(tx, request.actor, schedule)
    return Redirect(_address(request), flash="Schedule removed.")


@form(f"{_ONE}/variables", to=READ_SCHEDULES, again=_EDIT)
async def add_schedule_variable(request: PageRequest, project: ProjectRow, schedule_id: int) -> Redirect:
    given = request.read_form(CreateScheduleVariable, "variable")
    change = structs.replace(given, value=typed_text(given.value))
    async with request.transaction() as tx:
        schedule = await find_managed_schedule(tx, request.actor, Ref.of(project.id), schedule_id)
        await operations.add_variable(tx, request.services.vault, schedule, change)
    return Redirect(f"{_address(request)}/{schedule_id}/edit", flash=f"{change.key} added.")


@form(f"{_ONE}/variables/{{key}}", to=READ_SCHEDULES, again=_EDIT)
async def save_schedule_variable(request: PageRequest, project: ProjectRow, schedule_id: int, key: str) -> Redirect:
    given = request.read_form(EditScheduleVariable, "variable")
    change = structs.replace(given, value=typed_text(given.value)) if given.value else given
    async with request.transaction() as tx:
        schedule = await find_managed_schedule(tx, request.actor, Ref.of(project.id), schedule_id)
        variable = await find_schedule_variable(tx, schedule.id, key)
        await operations.edit_variable(tx, request.services.vault, variable, change)
    return Redirect(f"{_address(request)}/{schedule_id}/edit", flash=f"{key} saved.")


@form(f"{_ONE}/variables/{{key}}/delete", to=READ_SCHEDULES, again=_EDIT)
async def delete_schedule_variable(request: PageRequest, project: ProjectRow, schedule_id: int, key: str) -> Redirect:
    async with request.transaction() as tx:
        schedule = await find_managed_schedule(tx, request.actor, Ref.of(project.id), schedule_id)
        await operations.remove_variable(tx, await find_schedule_variable(tx, schedule.id, key))
    return Redirect(f"{_address(request)}/{schedule_id}/edit", flash=f"{key} removed.")


def _address(request: PageRequest) -> str:
    return f"{request.here}/pipeline_schedules"


async def _choices(request: PageRequest, project: ProjectRow) -> dict[str, object]:
    """What the fields of the form suggest."""
    refs = ref_menu(await code_of(request.services, project))
    return {"project": project, "refs": refs.branches + refs.tags, "zones": tuple(sorted(ENGLISH_ZONES))}
