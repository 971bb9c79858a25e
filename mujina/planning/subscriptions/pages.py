"""Subscribing to issues, merge requests and epics, and adding them to the to-do list, on their pages."""

from contextlib import suppress

from mujina.kernel.errors import NotModified
from mujina.kernel.html.pages import PageRequest, Redirect
from mujina.planning.noteables.page_forms import find_shown, noteable_form, page_of
from mujina.planning.subscriptions import operations
from mujina.planning.todos import operations as todos


@noteable_form("/subscribe", without=("snippet", "commit"))
async def subscribe(request: PageRequest) -> Redirect:
    return await _choose(request, subscribed=True)


@noteable_form("/unsubscribe", without=("snippet", "commit"))
async def unsubscribe(request: PageRequest) -> Redirect:
    return await _choose(request, subscribed=False)


async def _choose(request: PageRequest, *, subscribed: bool) -> Redirect:
    with suppress(NotModified):
        async with request.transaction() as tx:
            noteable = await find_shown(tx, request)
            await operations.subscribe(tx, request.actor, noteable.kind, noteable.id, subscribed=subscribed)
    return Redirect(page_of(request))


@noteable_form("/todo", without=("snippet", "commit"))
async def add_todo(request: PageRequest) -> Redirect:
    with suppress(NotModified):
        async with request.transaction() as tx:
            await todos.mark(tx, request.actor, await find_shown(tx, request))
    return Redirect(page_of(request), flash="Added to your to-do list.")
