"""Suggestions while something is typed: references in a text, values of a field, pages to go to."""

from mujina.activity.completion.destinations import destinations, people
from mujina.activity.completion.entities import completions, emoji
from mujina.activity.completion.params import Complete
from mujina.activity.completion.settings_pages import settings_destinations, settings_rules
from mujina.kernel.db.transaction import Tx
from mujina.kernel.html.pages import Container, PageRequest, view
from mujina.kernel.http.dispatcher import Response
from mujina.kernel.http.params import UNSET
from mujina.kernel.permissions.actor import Actor
from mujina.planning.work_items.page_scopes import container_owner
from mujina.web.urls.containers import find_container

MAX_LENGTH = 100


@view("/autocomplete/references", anonymous=True)
async def complete_reference(request: PageRequest, query: Complete) -> Response:
    """JSON for the script of our pages: a list, empty if nothing matches."""
    if query.sign == ":":
        return Response(emoji(query.search.strip()[:MAX_LENGTH]))
    async with request.searching() as tx:
        actor, search = request.actor, query.search.strip()[:MAX_LENGTH]
        container = await _container(tx, actor, query)
        if query.sign is UNSET:
            found = settings_destinations(request, container, search) + await destinations(tx, actor, container, search)
        elif container is not None:
            found = await completions(tx, actor, container_owner(container), query.sign, search)
        else:
            found = await people(tx, actor, search) if query.sign == "@" and search else []
    return Response(found)


async def _container(tx: Tx, actor: Actor, query: Complete) -> Container | None:
    """The project or group of the field, if the actor may read it: 404 otherwise."""
    if isinstance(query.project_id, int):
        return await find_container(tx, actor, "project", query.project_id, settings_rules(tx.product, "project"))
    if isinstance(query.group_id, int):
        return await find_container(tx, actor, "group", query.group_id, settings_rules(tx.product, "group"))
    return None
