"""The completion of references while a text is written."""

from mujina.activity.completion.entities import completions
from mujina.activity.completion.params import Complete
from mujina.kernel.http import Response
from mujina.kernel.pages import PageRequest, view
from mujina.kernel.params import Ref
from mujina.workspaces.projects.rules import find_project

MAX_LENGTH = 100


@view("/autocomplete/references")
async def complete_reference(request: PageRequest, query: Complete) -> Response:
    """JSON for the script of our pages: a list, empty if nothing matches."""
    async with request.searching() as tx:
        project = await find_project(tx, request.actor, Ref.of(query.project_id))
        found = await completions(tx, request.actor, project, query.sign, query.search[:MAX_LENGTH])
    return Response(found)
