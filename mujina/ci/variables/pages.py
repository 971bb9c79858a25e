"""The variables of a project, of a group and of the instance: the form and, for the instance, the list."""

from msgspec import structs

from mujina.ci.settings.params import ShowValues
from mujina.ci.variables import entities, operations
from mujina.ci.variables.entities import to_variable
from mujina.ci.variables.params import (
    ChooseVariable,
    CreateInstanceVariable,
    CreateVariable,
    EditInstanceVariable,
    EditVariable,
)
from mujina.ci.variables.rules import ADMIN_VARIABLES_OF, find_variable
from mujina.ci.variables.values import typed_text
from mujina.kernel.html.pages import HtmlPage, PageRequest, Redirect, form, view
from mujina.kernel.http.paging import Page
from mujina.workspaces.owners.rules import INSTANCE, find_page_owner

_OWNER, _INSTANCE = "/{owner}/variables", "/admin/variables"
_OF_OWNER, _OF_INSTANCE = f"{_OWNER}/{{key}}", f"{_INSTANCE}/{{key}}"


@view(_INSTANCE, admin=True)
async def show_instance_variables(request: PageRequest, query: ShowValues, page: Page) -> HtmlPage:
    async with request.reading() as tx:
        variables = await entities.load_page(tx, request.services.vault, INSTANCE, page)
    return HtmlPage("ci/instance_variables.html", {"variables": variables, "reveal": query.reveal})


@view(f"{_OWNER}/new", to=ADMIN_VARIABLES_OF, anonymous=False)
@view(f"{_INSTANCE}/new", admin=True)
async def show_new_variable(request: PageRequest) -> HtmlPage:
    return HtmlPage("ci/variable_form.html", {"variable": None, "back": _list_of(request)})


@form(_OWNER, to=ADMIN_VARIABLES_OF, again=f"{_OWNER}/new")
@form(_INSTANCE, admin=True, again=f"{_INSTANCE}/new")
async def create_variable(request: PageRequest) -> Redirect:
    given = request.read_form(CreateVariable if request.container else CreateInstanceVariable, "variable")
    change = structs.replace(given, key=given.key.strip(), value=typed_text(given.value))
    async with request.transaction() as tx:
        await operations.create(
            tx, request.services.vault, request.actor, await find_page_owner(tx, request, to=ADMIN_VARIABLES_OF), change
        )
    return Redirect(_list_of(request), flash=f"{change.key} added.")


@view(f"{_OF_OWNER}/edit", to=ADMIN_VARIABLES_OF, anonymous=False)
@view(f"{_OF_INSTANCE}/edit", admin=True)
async def show_variable(request: PageRequest, key: str, query: ChooseVariable) -> HtmlPage:
    async with request.reading() as tx:
        variable = await find_variable(tx, await find_page_owner(tx, request, to=ADMIN_VARIABLES_OF), key, query.filter)
    context = {"variable": to_variable(request.services.vault, variable), "back": _list_of(request)}
    return HtmlPage("ci/variable_form.html", context)


@form(_OF_OWNER, to=ADMIN_VARIABLES_OF, again=f"{_OF_OWNER}/edit")
@form(_OF_INSTANCE, admin=True, again=f"{_OF_INSTANCE}/edit")
async def save_variable(request: PageRequest, key: str, query: ChooseVariable) -> Redirect:
    given = request.read_form(EditVariable if request.container else EditInstanceVariable, "variable")
    change = structs.replace(given, value=typed_text(given.value)) if given.value else given
    async with request.transaction() as tx:
        variable = await find_variable(
            tx, await find_page_owner(tx, request, to=ADMIN_VARIABLES_OF), key, query.filter, lock=True
        )
        await operations.edit(tx, request.services.vault, request.actor, variable, change)
    return Redirect(_list_of(request), flash=f"{key} saved.")


@form(f"{_OF_OWNER}/delete", to=ADMIN_VARIABLES_OF, again=f"{_OF_OWNER}/edit")
@form(f"{_OF_INSTANCE}/delete", admin=True, again=f"{_OF_INSTANCE}/edit")
async def delete_variable(request: PageRequest, key: str, query: ChooseVariable) -> Redirect:
    async with request.transaction() as tx:
        variable = await find_variable(
            tx, await find_page_owner(tx, request, to=ADMIN_VARIABLES_OF), key, query.filter, lock=True
        )
        await operations.remove(tx, request.actor, variable)
    return Redirect(_list_of(request), flash=f"{key} removed.")


def _list_of(request: PageRequest) -> str:
    """The page that lists the variables."""
    return f"{request.here}/settings/ci_cd" if request.container else _INSTANCE
