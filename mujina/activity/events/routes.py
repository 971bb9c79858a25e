"""Feeds of contributions."""

from mujina.accounts.users.rules import find_user_by_ref
from mujina.activity.events import entities, filters
from mujina.activity.events.entities import Contribution
from mujina.activity.events.filters import CountedFeed
from mujina.activity.events.params import ListEvents
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import get
from mujina.kernel.permissions.scopes import READ_USER
from mujina.workspaces.projects.rules import find_project


@get("/events", scopes=READ_USER)
async def list_own_events(call: Call, query: ListEvents, page: Page) -> Paged[Contribution]:
    """List your own events."""
    async with call.reading() as tx:
        return await _list(tx, filters.of_user(call.actor, call.actor.id, query), query, page)


@get("/users/:id/events", scopes=READ_USER, anonymous=True)
async def list_user_events(call: Call, id: Ref, query: ListEvents, page: Page) -> Paged[Contribution]:
    async with call.reading() as tx:
        user = await find_user_by_ref(tx, id)
        return await _list(tx, filters.of_user(call.actor, user.id, query), query, page)


@get("/projects/:id/events", anonymous=True)
async def list_project_events(call: Call, id: Ref, query: ListEvents, page: Page) -> Paged[Contribution]:
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id)
        return await _list(tx, filters.of_project(call.actor, project, query), query, page)


async def _list(tx: Tx, feed: CountedFeed, query: ListEvents, page: Page) -> Paged[Contribution]:
    return await entities.load_page(tx, feed, filters.order(query), page)
