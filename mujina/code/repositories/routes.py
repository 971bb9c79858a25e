"""A project's repository as a whole."""

from mujina.code.commits.operations import file_sizes, find_code
from mujina.code.repositories import operations
from mujina.code.repositories.languages import shares
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import get, post
from mujina.workspaces.projects.rules import ADMIN_PROJECT, find_project


@post("/projects/:id/housekeeping")
async def start_housekeeping(call: Call, id: Ref) -> dict[str, str]:
    async with call.transaction() as tx:
        project = await find_project(tx, call.actor, id, to=ADMIN_PROJECT)
        await operations.request_housekeeping(tx, call.actor, project.id)
        return {}


@get("/projects/:id/languages", anonymous=True)
async def list_languages(call: Call, id: Ref) -> dict[str, float]:
    _, code = await find_code(call.services, call.actor, id)
    return shares(await file_sizes(code))
