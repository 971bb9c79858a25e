"""Discussions on merge requests; those that they share with issues are in `planning/discussions`."""

from secrets import token_hex

from mujina.kernel import errors
from mujina.kernel.http.dispatcher import Call, Response
from mujina.kernel.http.params import UNSET, Ref
from mujina.kernel.http.routing import Segment, post, put
from mujina.planning.discussions.entities import Discussion, find_discussion
from mujina.planning.discussions.params import CreateDiscussion
from mujina.planning.noteables.kinds import Noteable
from mujina.planning.notes import entities as note_entities
from mujina.planning.notes import operations as notes
from mujina.planning.notes.entities import Note
from mujina.planning.notes.params import CreateNote
from mujina.planning.notes.rules import EDIT_NOTE, RESOLVE_NOTE, find_note
from mujina.planning.notes.writing import answer, write
from mujina.planning.quick_actions.operations import prepare
from mujina.review.discussions import operations
from mujina.review.discussions.params import EditMergeRequestNote, ResolveDiscussion
from mujina.review.merge_requests.declarations.noteable import noteable_of
from mujina.review.merge_requests.rules import COMMENT_ON_MERGE_REQUEST, RESOLVE_DISCUSSIONS, find_merge_request
from mujina.review.suggestions import operations as suggestions
from mujina.review.suggestions.blocks import read_blocks


@post("/projects/:id/merge_requests/:merge_request_iid/discussions")
async def create_merge_request_discussion(
    call: Call, id: Ref, merge_request_iid: int, change: CreateDiscussion
) -> Discussion | Response:
    """Start a discussion on a merge request, on a line of its diff if a position is given."""
    placed, shown = await operations.place(call.services, call.actor, id, merge_request_iid, change.position), None
    prepared = await prepare(call.services, call.actor, "merge_request", id, merge_request_iid, change.body)
    async with call.transaction() as tx:
        request = await find_merge_request(
            tx, call.actor, id, merge_request_iid, to=COMMENT_ON_MERGE_REQUEST, hide=True
        )
        noteable, new_id = noteable_of(request), token_hex(20)
        new = CreateNote(body=change.body, created_at=change.created_at)
        written = await write(tx, call.actor, noteable, new, prepared, discussion_id=new_id, individual=False)
        if written.note_id is not None:
            await operations.put_position(tx, request.id, new_id, placed)
            shown = await find_discussion(tx, call.actor, noteable, new_id)
    return await answer(call, written, await _with_suggestions(call, noteable, shown))


async def _with_suggestions(call: Call, noteable: Noteable, shown: Discussion | None) -> Discussion | None:
    """The new discussion, after what its comment suggests is stored."""
    if shown is None or not read_blocks(shown.notes[0].body):
        return shown
    await suggestions.read_note(call.services, shown.notes[0].id)
    async with call.reading() as tx:
        return await find_discussion(tx, call.actor, noteable, shown.id)


@put("/projects/:id/merge_requests/:merge_request_iid/discussions/:discussion_id")
async def resolve_discussion(
    call: Call, id: Ref, merge_request_iid: int, discussion_id: Segment, change: ResolveDiscussion
) -> Discussion:
    """Resolve a discussion on a merge request, or open it again."""
    async with call.transaction() as tx:
        request = await find_merge_request(tx, call.actor, id, merge_request_iid, to=RESOLVE_DISCUSSIONS, hide=True)
        noteable = noteable_of(request)
        discussion = await find_discussion(tx, call.actor, noteable, discussion_id)
        note_ids = [note.id for note in discussion.notes if note.resolvable is True]
        if not note_ids:
            raise errors.bad_request("Discussion is not resolvable")
        await operations.resolve(tx, call.actor, request, note_ids, resolved=change.resolved)
        return await find_discussion(tx, call.actor, noteable, discussion_id)


@put("/projects/:id/merge_requests/:merge_request_iid/discussions/:discussion_id/notes/:note_id")
async def edit_merge_request_discussion_note(
    call: Call, id: Ref, merge_request_iid: int, discussion_id: Segment, note_id: int, change: EditMergeRequestNote
) -> Note:
    """Edit or resolve a note in a discussion on a merge request."""
    async with call.transaction() as tx:
        request = await find_merge_request(
            tx, call.actor, id, merge_request_iid, to=COMMENT_ON_MERGE_REQUEST, hide=True
        )
        noteable, to = noteable_of(request), EDIT_NOTE if change.resolved is UNSET else RESOLVE_NOTE
        note = await find_note(tx, call.actor, noteable, note_id, to=to, discussion_id=discussion_id)
        if change.resolved is UNSET:
            await notes.edit(tx, call.actor, noteable, note, change.body or "")
        elif note.resolvable:
            await operations.resolve(tx, call.actor, request, [note.id], resolved=change.resolved)
        else:
            raise errors.bad_request("Note is not resolvable")
        return await note_entities.load_one(tx, noteable, note.id)
