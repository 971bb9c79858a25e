"""The deploy keys of all projects, and those that every project may enable."""

from mujina.accounts.keys import operations as keys
from mujina.accounts.keys.params import AddKey
from mujina.administration.deploy_keys.entities import uses_of
from mujina.code.deploy_keys import entities, operations
from mujina.code.deploy_keys.params import PublicKeyForm
from mujina.code.deploy_keys.rules import find_public_key
from mujina.kernel.html.pages import HtmlPage, Numbered, PageRequest, Redirect, form, view
from mujina.kernel.http.paging import Page

_PAGE = "/admin/deploy_keys"


@view(_PAGE, admin=True)
async def show_all_deploy_keys(request: PageRequest, page: Page) -> HtmlPage:
    async with request.reading() as tx:
        shown = await entities.of_all(tx, page)
        ids = [key.id for key in shown.items]
        context = {"keys": shown, "uses": await uses_of(tx, ids), "public": await entities.public_among(tx, ids)}
    return HtmlPage("administration/deploy_keys.html", context)


@form(_PAGE, admin=True)
async def add_public_deploy_key(request: PageRequest) -> Redirect:
    given = request.read_form(PublicKeyForm, "deploy_key")
    change = AddKey(title=given.title.strip(), key=given.key, expires_at=given.expires_at)
    async with request.transaction() as tx:
        await operations.add_public(tx, request.actor, change)
    return Redirect(_PAGE, flash="Every project may enable the key now.")


@form(f"{_PAGE}/delete", admin=True, again=_PAGE)
async def delete_public_deploy_key(request: PageRequest) -> Redirect:
    async with request.transaction() as tx:
        key = await find_public_key(tx, request.read_form(Numbered).id)
        await keys.remove(tx, request.actor, key)
    return Redirect(_PAGE, flash="Key deleted.")
