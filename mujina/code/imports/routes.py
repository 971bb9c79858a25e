"""Projects whose repository is fetched from another server."""

from mujina.code.remote_mirrors.entities import MirrorPublicKey
from mujina.kernel import errors
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import get, post
from mujina.workspaces.projects.origins import imports
from mujina.workspaces.projects.rules import ADMIN_PROJECT, find_project


@post("/projects/:id/mirror/pull", status=200)
async def pull_mirror(call: Call, id: Ref) -> int:
    """Start an update of a mirrored project."""
    async with call.transaction() as tx:
        project = await find_project(tx, call.actor, id, to=ADMIN_PROJECT)
        await imports.update_mirror(tx, call.actor, project.id)
    return 200


@get("/projects/:id/mirror/public_key")
async def show_mirror_public_key(call: Call, id: Ref) -> MirrorPublicKey:
    """The key that the other server has to accept; 404 if the project is not fetched over SSH with a key."""
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=ADMIN_PROJECT)
        state = await imports.state_of(tx, project.id)
    return MirrorPublicKey(errors.or_not_found(state.public_key, "Public Key"))
