"""Projects whose repository comes from elsewhere."""

from mujina.kernel.http import Call, Json, Response
from mujina.kernel.params import Ref
from mujina.kernel.routing import post
from mujina.workspaces.projects import imports
from mujina.workspaces.projects.rules import ADMIN_PROJECT, find_project


@post("/projects/:id/mirror/pull")
async def pull_mirror(call: Call, id: Ref) -> Json:
    async with call.transaction() as tx:
        project = await find_project(tx, call.actor, id, to=ADMIN_PROJECT)
        await imports.update_mirror(tx, call.actor, project.id)
    return Response(200, status=200)
