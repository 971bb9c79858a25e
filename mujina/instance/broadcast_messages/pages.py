"""Broadcast messages, as administrators write them."""

from mujina.instance.broadcast_messages import entities, operations
from mujina.instance.broadcast_messages.params import CreateBroadcast, EditBroadcast
from mujina.instance.broadcast_messages.rules import find_broadcast
from mujina.kernel import clock
from mujina.kernel.html.pages import HtmlPage, PageRequest, Redirect, form, view
from mujina.kernel.http.paging import Page

PAGE = "/admin/broadcast_messages"
_DEFAULTS = {"color": operations.DEFAULT_COLOR, "font": operations.DEFAULT_FONT}


@view(PAGE, admin=True)
async def show_broadcasts(request: PageRequest, page: Page) -> HtmlPage:
    async with request.reading() as tx:
        messages = await entities.load_page(tx, page)
    context = {"messages": messages, "now": clock.now(), "defaults": _DEFAULTS}
    return HtmlPage("administration/broadcast_messages.html", context)


@form(PAGE, admin=True)
async def create_broadcast(request: PageRequest) -> Redirect:
    async with request.transaction() as tx:
        await operations.create(tx, request.actor, request.read_form(CreateBroadcast, "broadcast_message"))
    return Redirect(PAGE, flash="Message added. Pages show it within a minute.")


@view(f"{PAGE}/{{id:int}}/edit", admin=True)
async def show_edit_broadcast(request: PageRequest, id: int) -> HtmlPage:
    async with request.reading() as tx:
        message = entities.to_broadcast(await find_broadcast(tx, id))
    return HtmlPage("administration/broadcast_message.html", {"message": message, "defaults": _DEFAULTS})


@form(f"{PAGE}/{{id:int}}", admin=True, again=f"{PAGE}/{{id:int}}/edit")
async def edit_broadcast(request: PageRequest, id: int) -> Redirect:
    change = request.read_form(EditBroadcast, "broadcast_message")
    async with request.transaction() as tx:
        await operations.edit(tx, request.actor, await find_broadcast(tx, id), change)
    return Redirect(PAGE, flash="Message saved. Pages show it within a minute.")


@form(f"{PAGE}/{{id:int}}/delete", admin=True, again=PAGE)
async def delete_broadcast(request: PageRequest, id: int) -> Redirect:
    async with request.transaction() as tx:
        await operations.remove(tx, request.actor, await find_broadcast(tx, id))
    return Redirect(PAGE, flash="Message deleted.")
