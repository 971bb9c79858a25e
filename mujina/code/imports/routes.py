"""Projects whose repository is fetched from another server."""

from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import post
from mujina.workspaces.projects.origins import imports
from mujina.workspaces.projects.rules import ADMIN_PROJECT, find_project


@post("/projects/:id/mirror/pull", status=200)
async def pull_mirror(call: Call, id: Ref) -> int:
    """Start an update of a mirrored project."""
    async with call.transaction() as tx:
        project = await find_project(tx, call.actor, id, to=ADMIN_PROJECT)
        await imports.update_mirror(tx, call.actor, project.id)
    return 200
