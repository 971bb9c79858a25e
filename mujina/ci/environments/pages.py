"""The environments of a project: the list, one of them with the history of its deployments, and the forms."""

from mujina.ci.deployments import entities as deployments
from mujina.ci.deployments.params import ListDeployments
from mujina.ci.environments import entities, operations
from mujina.ci.environments.params import CreateEnvironment, EditEnvironment, FilterEnvironments
from mujina.ci.environments.rules import (
    ADMIN_ENVIRONMENT,
    CREATE_ENVIRONMENT,
    READ_ENVIRONMENTS,
    STOP_ENVIRONMENT,
    find_environment,
)
from mujina.ci.environments.tiers import tier_of
from mujina.code.commits.operations import code_of
from mujina.kernel.html.pages import HtmlPage, PageRequest, Redirect, form, view
from mujina.kernel.http.paging import Page
from mujina.workspaces.projects.rules import READ_CODE, ProjectRow, changing

_ALL = "/{project}/environments"
_ONE = f"{_ALL}/{{environment_id:int}}"
_EDIT = f"{_ONE}/edit"
_RIGHTS = {"create": CREATE_ENVIRONMENT, "stop": STOP_ENVIRONMENT, "admin": ADMIN_ENVIRONMENT, "code": READ_CODE}


@view(_ALL, to=READ_ENVIRONMENTS, rights=_RIGHTS)
async def show_environments(
    request: PageRequest, project: ProjectRow, query: FilterEnvironments, page: Page
) -> HtmlPage:
    code = await code_of(request.services, project)
    async with request.reading() as tx:
        found = await entities.load_page(tx, request.actor, project.id, query.listed, page)
        last = await deployments.last_deployments(tx, code, project.id, [each.id for each in found.items])
    return HtmlPage("ci/environments.html", {"environments": found, "last": last, "query": query})


@view(f"{_ALL}/new", to=CREATE_ENVIRONMENT, anonymous=False)
async def show_new_environment(_: PageRequest) -> HtmlPage:
    return HtmlPage("ci/environment_form.html", {"environment": None})


@form(_ALL, to=CREATE_ENVIRONMENT, again=f"{_ALL}/new")
async def create_environment(request: PageRequest, project: ProjectRow) -> Redirect:
    change = request.read_form(CreateEnvironment, "environment")
    async with changing(request, project, to=CREATE_ENVIRONMENT) as tx:
        environment_id = await operations.create(tx, request.actor, project.id, change)
    return Redirect(_address(request, environment_id))


@view(_ONE, to=READ_ENVIRONMENTS, rights=_RIGHTS)
async def show_environment(request: PageRequest, project: ProjectRow, environment_id: int, page: Page) -> HtmlPage:
    code = await code_of(request.services, project)
    async with request.reading() as tx:
        environment = await find_environment(tx, project.id, environment_id)
        newest_first = ListDeployments(environment=environment.name, sort="desc")
        history = await deployments.load_page(tx, code, project.id, newest_first, page)
        stoppable = (
            request.rights["stop"]
            and environment.state == "available"
            and await operations.may_stop(tx, request.actor, environment)
        )
    tier = tier_of(environment.name, environment.tier)
    return HtmlPage(
        "ci/environment.html",
        {"environment": environment, "tier": tier, "history": history, "stoppable": stoppable},
    )


@view(_EDIT, to=ADMIN_ENVIRONMENT, anonymous=False)
async def show_edit_environment(request: PageRequest, project: ProjectRow, environment_id: int) -> HtmlPage:
    async with request.reading() as tx:
        environment = await find_environment(tx, project.id, environment_id)
    tier = tier_of(environment.name, environment.tier)
    return HtmlPage("ci/environment_form.html", {"environment": environment, "tier": tier})


@form(_ONE, to=ADMIN_ENVIRONMENT, again=_EDIT)
async def save_environment(request: PageRequest, project: ProjectRow, environment_id: int) -> Redirect:
    change = request.read_form(EditEnvironment, "environment")
    async with changing(request, project, to=ADMIN_ENVIRONMENT) as tx:
        await operations.edit(tx, request.actor, await find_environment(tx, project.id, environment_id), change)
    return Redirect(_address(request, environment_id), flash="Changes saved.")


@form(f"{_ONE}/stop", to=STOP_ENVIRONMENT, again=_ONE)
async def stop_environment(request: PageRequest, project: ProjectRow, environment_id: int) -> Redirect:
    async with changing(request, project, to=STOP_ENVIRONMENT) as tx:
        await operations.stop_checked(tx, request.actor, project.id, environment_id)
    return Redirect(_address(request, environment_id), flash="The environment is stopped.")


@form(f"{_ONE}/delete", to=ADMIN_ENVIRONMENT, again=_ONE)
async def delete_environment(request: PageRequest, project: ProjectRow, environment_id: int) -> Redirect:
    async with changing(request, project, to=ADMIN_ENVIRONMENT) as tx:
        await operations.remove(tx, request.actor, await find_environment(tx, project.id, environment_id))
    return Redirect(f"{request.here}/environments", flash="Environment removed.")


def _address(request: PageRequest, environment_id: int) -> str:
    return f"{request.here}/environments/{environment_id}"
