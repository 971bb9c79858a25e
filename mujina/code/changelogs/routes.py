"""Notes of a version, from the trailers of its commits."""

from mujina.code.changelogs import operations
from mujina.code.changelogs.entities import Changelog
from mujina.code.changelogs.params import ShowChangelog
from mujina.code.commits.operations import find_code
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import get


@get("/projects/:id/repository/changelog", anonymous=True)
async def show_changelog(call: Call, id: Ref, query: ShowChangelog) -> Changelog:
    project, code = await find_code(call.services, call.actor, id)
    return Changelog(await operations.notes(code, project.full_path, query))
