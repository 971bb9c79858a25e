"""Comments on commits."""

from mujina.code.commits.operations import code_of, find, show
from mujina.kernel import errors
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import Segment, get, post
from mujina.planning.commit_comments import entities, operations
from mujina.planning.commit_comments.entities import CommitComment
from mujina.planning.commit_comments.params import CreateCommitComment
from mujina.workspaces.projects.rules import COMMENT_ON_CODE, READ_CODE, find_project


@get("/projects/:id/repository/commits/:sha/comments", anonymous=True)
async def list_commit_comments(call: Call, id: Ref, sha: Segment, page: Page) -> Paged[CommitComment]:
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=READ_CODE)
    found = find(await code_of(call.services, project), sha)
    async with call.reading() as tx:
        return await entities.load_page(tx, project.id, found.id, page)


@post("/projects/:id/repository/commits/:sha/comments")
async def create_commit_comment(call: Call, id: Ref, sha: Segment, change: CreateCommitComment) -> CommitComment:
    if change.path and not change.line:
        raise errors.missing("line")
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=COMMENT_ON_CODE)
    found = find(await code_of(call.services, project), sha)
    line = await operations.find_line(found, change)
    async with call.transaction() as tx:
        project = await find_project(tx, call.actor, Ref.of(project.id), to=COMMENT_ON_CODE)
        note_id = await operations.create(tx, call.actor, project, show(found), change.note, line)
        return await entities.load_one(tx, note_id)
