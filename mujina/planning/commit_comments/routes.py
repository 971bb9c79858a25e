"""Comments on the commits of a project's repository."""

from mujina.code.commits.operations import Found, code_of, differences, find, show
from mujina.kernel import errors
from mujina.kernel.http import Call, Json
from mujina.kernel.paging import Page
from mujina.kernel.params import Ref
from mujina.kernel.routing import Segment, get, post
from mujina.planning.commit_comments import entities, operations
from mujina.planning.commit_comments.lines import Line, has_line
from mujina.planning.commit_comments.params import CreateComment
from mujina.workspaces.projects.rules import COMMENT_ON_CODE, READ_CODE, find_project


@get("/projects/:id/repository/commits/:sha/comments", anonymous=True)
async def list_commit_comments(call: Call, id: Ref, sha: Segment, page: Page) -> Json:
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=READ_CODE)
    found = find(await code_of(call.services, project), sha)
    async with call.reading() as tx:
        return await entities.listed(tx, project.id, found.id, page)


@post("/projects/:id/repository/commits/:sha/comments")
async def create_commit_comment(call: Call, id: Ref, sha: Segment, change: CreateComment) -> Json:
    if change.path and not change.line:
        raise errors.missing("line")
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=COMMENT_ON_CODE)
    found = find(await code_of(call.services, project), sha)
    line = await _line(found, change)
    async with call.transaction() as tx:
        project = await find_project(tx, call.actor, Ref.of(project.id), to=COMMENT_ON_CODE)
        note_id = await operations.comment(tx, call.actor, project, show(found), change.note, line)
        return await entities.single(tx, note_id)


async def _line(found: Found, change: CreateComment) -> Line | None:
    if not change.path or not change.line:
        return None
    line = Line(change.path, change.line, change.line_type)
    # Compat: a line that the commit did not touch is not refused; the comment is then about the commit as a whole.
    return line if has_line((await differences(found))[0], line) else None
