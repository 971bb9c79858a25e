"""Comments on commits, alone and as discussions."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from mujina.code.commits.operations import CommitInfo, find, find_code, show
from mujina.kernel import errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import Segment, delete, get, post, put
from mujina.planning.commit_comments import discussions, entities, operations
from mujina.planning.commit_comments.entities import CommitComment
from mujina.planning.commit_comments.params import CreateCommitComment
from mujina.planning.discussions.entities import Discussion
from mujina.planning.discussions.params import CreateDiscussion
from mujina.planning.noteables.commits import RIGHTS
from mujina.planning.noteables.kinds import Noteable, Purpose
from mujina.planning.notes import operations as notes
from mujina.planning.notes.params import CreateNote, EditNote
from mujina.planning.notes.rows import Note
from mujina.planning.notes.rules import EDIT_NOTE, find_note
from mujina.workspaces.projects.rules import COMMENT_ON_CODE

_COMMIT = "/projects/:id/repository/commits/:sha"


@asynccontextmanager
async def _noteable(
    call: Call, id: Ref, sha: str, *, to: Purpose = "read"
) -> AsyncGenerator[tuple[Tx, Noteable, CommitInfo]]:
    """A transaction, and in it the commit as what notes are on, if the actor may read it or comment on it."""
    project, code = await find_code(call.services, call.actor, id, to=RIGHTS[to])
    commit = show(find(code, sha))
    async with call.reading() if to == "read" else call.transaction() as tx:
        yield tx, await operations.find_noteable(tx, call.actor, project.id, commit, to=to), commit


@get(f"{_COMMIT}/comments", anonymous=True)
async def list_commit_comments(call: Call, id: Ref, sha: Segment, page: Page) -> Paged[CommitComment]:
    project, code = await find_code(call.services, call.actor, id)
    found = find(code, sha)
    async with call.reading() as tx:
        return await entities.load_page(tx, project.id, found.id, page)


@post(f"{_COMMIT}/comments")
async def create_commit_comment(call: Call, id: Ref, sha: Segment, change: CreateCommitComment) -> CommitComment:
    if change.path and not change.line:
        raise errors.missing("line")
    project, code = await find_code(call.services, call.actor, id, to=COMMENT_ON_CODE)
    found = find(code, sha)
    line = await operations.find_line(found, change)
    async with call.transaction() as tx:
        noteable = await operations.find_noteable(tx, call.actor, project.id, show(found), to="comment")
        note = await operations.create(tx, call.actor, noteable, change.note, line)
        return await entities.load_one(tx, note.id)


@get(f"{_COMMIT}/discussions")
async def list_commit_discussions(call: Call, id: Ref, sha: Segment, page: Page) -> Paged[Discussion]:
    async with _noteable(call, id, sha) as (tx, noteable, commit):
        return await discussions.load_page(tx, call.actor, noteable, commit, page)


@get(f"{_COMMIT}/discussions/:discussion_id")
async def show_commit_discussion(call: Call, id: Ref, sha: Segment, discussion_id: Segment) -> Discussion:
    async with _noteable(call, id, sha) as (tx, noteable, commit):
        return await discussions.load_one(tx, call.actor, noteable, commit, discussion_id)


@post(f"{_COMMIT}/discussions")
async def create_commit_discussion(call: Call, id: Ref, sha: Segment, change: CreateDiscussion) -> Discussion:
    """Start a discussion on a commit, on a line that it changes if a position is given."""
    project, code = await find_code(call.services, call.actor, id, to=COMMENT_ON_CODE)
    found = find(code, sha)
    commit, line = show(found), await operations.place(found, change.position)
    async with call.transaction() as tx:
        noteable = await operations.find_noteable(tx, call.actor, project.id, commit, to="comment")
        note = await operations.create(
            tx, call.actor, noteable, change.body, line, created_at=change.created_at, individual=False
        )
        return await discussions.load_one(tx, call.actor, noteable, commit, note.discussion_id)


@post(f"{_COMMIT}/discussions/:discussion_id/notes")
async def reply_to_commit_discussion(
    call: Call, id: Ref, sha: Segment, discussion_id: Segment, change: CreateNote
) -> Note:
    """Reply to a discussion on a commit; the reply is about the same line."""
    async with _noteable(call, id, sha, to="comment") as (tx, noteable, commit):
        note = await operations.reply(
            tx, call.actor, noteable, discussion_id, change.body, created_at=change.created_at
        )
        return await discussions.load_note(tx, call.actor, noteable, commit, discussion_id, note.id)


@get(f"{_COMMIT}/discussions/:discussion_id/notes/:note_id")
async def show_commit_discussion_note(call: Call, id: Ref, sha: Segment, discussion_id: Segment, note_id: int) -> Note:
    """Show a note in a discussion on a commit."""
    async with _noteable(call, id, sha) as (tx, noteable, commit):
        return await discussions.load_note(tx, call.actor, noteable, commit, discussion_id, note_id)


@put(f"{_COMMIT}/discussions/:discussion_id/notes/:note_id")
async def edit_commit_discussion_note(
    call: Call, id: Ref, sha: Segment, discussion_id: Segment, note_id: int, change: EditNote
) -> Note:
    async with _noteable(call, id, sha, to="comment") as (tx, noteable, commit):
        note = await find_note(tx, call.actor, noteable, note_id, to=EDIT_NOTE, discussion_id=discussion_id)
        await notes.edit(tx, call.actor, noteable, note, change.body)
        return await discussions.load_note(tx, call.actor, noteable, commit, discussion_id, note_id)


@delete(f"{_COMMIT}/discussions/:discussion_id/notes/:note_id")
async def delete_commit_discussion_note(
    call: Call, id: Ref, sha: Segment, discussion_id: Segment, note_id: int
) -> None:
    async with _noteable(call, id, sha, to="comment") as (tx, noteable, _):
        note = await find_note(tx, call.actor, noteable, note_id, to=EDIT_NOTE, discussion_id=discussion_id)
        call.unless_modified(note.updated_at)
        await notes.remove(tx, call.actor, noteable, note)
