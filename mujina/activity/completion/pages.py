"""Suggestions while something is typed: references in a text, values of a field, places to go to."""

from mujina.activity.completion.entities import completions
from mujina.activity.completion.params import Complete
from mujina.activity.completion.places import places
from mujina.kernel.html.pages import PageRequest, view
from mujina.kernel.http.dispatcher import Response
from mujina.kernel.http.params import UNSET, Ref
from mujina.workspaces.projects.rules import find_project

MAX_LENGTH = 100


@view("/autocomplete/references", anonymous=True)
async def complete_reference(request: PageRequest, query: Complete) -> Response:
    """JSON for the script of our pages: a list, empty if nothing matches."""
    async with request.searching() as tx:
        actor, search = request.actor, query.search.strip()[:MAX_LENGTH]
        project = None
        if isinstance(query.project_id, int):
            project = await find_project(tx, actor, Ref.of(query.project_id))
        if query.sign is UNSET:
            found = await places(tx, actor, project, search)
        elif project is None or actor.anonymous:
            found = []
        else:
            found = await completions(tx, actor, project, query.sign, search)
    return Response(found)
