"""Draft notes on merge requests: a review that its author publishes at once."""

from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import delete, get, post, put
from mujina.planning.discussions.entities import find_discussion
from mujina.planning.notes.writing import finish_all
from mujina.review.discussions import operations as discussions
from mujina.review.draft_notes import entities, operations
from mujina.review.draft_notes.entities import DraftNote
from mujina.review.draft_notes.params import CreateDraftNote, EditDraftNote
from mujina.review.draft_notes.rules import find_draft
from mujina.review.merge_requests.declarations.noteable import noteable_of
from mujina.review.merge_requests.rules import COMMENT_ON_MERGE_REQUEST, find_merge_request


@get("/projects/:id/merge_requests/:merge_request_iid/draft_notes")
async def list_draft_notes(call: Call, id: Ref, merge_request_iid: int, page: Page) -> Paged[DraftNote]:
    """List the draft notes of the caller on a merge request."""
    async with call.reading() as tx:
        request = await find_merge_request(tx, call.actor, id, merge_request_iid, hide=True)
        return await entities.load_page(tx, call.actor, request.id, page)


@get("/projects/:id/merge_requests/:merge_request_iid/draft_notes/:draft_note_id")
async def show_draft_note(call: Call, id: Ref, merge_request_iid: int, draft_note_id: int) -> DraftNote:
    """Show a draft note of the caller."""
    async with call.reading() as tx:
        request = await find_merge_request(tx, call.actor, id, merge_request_iid, hide=True)
        return entities.to_draft_note(await find_draft(tx, call.actor, request.id, draft_note_id))


@post("/projects/:id/merge_requests/:merge_request_iid/draft_notes")
async def create_draft_note(call: Call, id: Ref, merge_request_iid: int, change: CreateDraftNote) -> DraftNote:
    """Write a note that only its author sees until it is published."""
    placed = await discussions.place(call.services, call.actor, id, merge_request_iid, change.position)
    async with call.transaction() as tx:
        to = COMMENT_ON_MERGE_REQUEST
        request = await find_merge_request(tx, call.actor, id, merge_request_iid, to=to, hide=True)
        if change.in_reply_to_discussion_id:
            await find_discussion(tx, call.actor, noteable_of(request), change.in_reply_to_discussion_id)
        draft_id = await operations.create(tx, call.actor, request.id, change, placed)
        return entities.to_draft_note(await find_draft(tx, call.actor, request.id, draft_id))


@put("/projects/:id/merge_requests/:merge_request_iid/draft_notes/:draft_note_id")
async def edit_draft_note(
    call: Call, id: Ref, merge_request_iid: int, draft_note_id: int, change: EditDraftNote
) -> DraftNote:
    """Edit a draft note of the caller."""
    placed = await discussions.place(call.services, call.actor, id, merge_request_iid, change.position)
    async with call.transaction() as tx:
        request = await find_merge_request(tx, call.actor, id, merge_request_iid, hide=True)
        draft = await find_draft(tx, call.actor, request.id, draft_note_id)
        await operations.edit(tx, draft, change, placed)
        return entities.to_draft_note(await find_draft(tx, call.actor, request.id, draft.id))


@delete("/projects/:id/merge_requests/:merge_request_iid/draft_notes/:draft_note_id")
async def delete_draft_note(call: Call, id: Ref, merge_request_iid: int, draft_note_id: int) -> None:
    """Delete a draft note of the caller."""
    async with call.transaction() as tx:
        request = await find_merge_request(tx, call.actor, id, merge_request_iid, hide=True)
        draft = await find_draft(tx, call.actor, request.id, draft_note_id)
        call.unless_modified(draft.updated_at)
        await operations.remove(tx, draft)


@put("/projects/:id/merge_requests/:merge_request_iid/draft_notes/:draft_note_id/publish", status=204)
async def publish_draft_note(call: Call, id: Ref, merge_request_iid: int, draft_note_id: int) -> None:
    """Publish a draft note of the caller."""
    async with call.transaction() as tx:
        to = COMMENT_ON_MERGE_REQUEST
        request = await find_merge_request(tx, call.actor, id, merge_request_iid, to=to, hide=True)
        draft = await find_draft(tx, call.actor, request.id, draft_note_id)
        written = await operations.publish(tx, call.actor, request, [draft])
    await finish_all(call, written)


@post("/projects/:id/merge_requests/:merge_request_iid/draft_notes/bulk_publish", status=204)
async def publish_draft_notes(call: Call, id: Ref, merge_request_iid: int) -> None:
    """Publish all draft notes of the caller on a merge request."""
    async with call.transaction() as tx:
        to = COMMENT_ON_MERGE_REQUEST
        request = await find_merge_request(tx, call.actor, id, merge_request_iid, to=to, hide=True)
        drafts = await operations.find_all(tx, call.actor, request.id)
        written = await operations.publish(tx, call.actor, request, drafts)
    await finish_all(call, written)
