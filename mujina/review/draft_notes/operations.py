"""Writing draft notes and publishing them."""

from secrets import token_hex
from typing import Any

from mujina.kernel import clock
from mujina.kernel.db.rows import insert_id, timestamps, update
from mujina.kernel.db.transaction import Tx
from mujina.kernel.permissions.actor import Actor
from mujina.planning.discussions.positions import decode, encode
from mujina.planning.noteables.kinds import Noteable
from mujina.planning.notes import operations as notes
from mujina.planning.notes.params import CreateNote
from mujina.planning.notes.writing import WrittenNote, write
from mujina.review.discussions import operations as discussions
from mujina.review.discussions.operations import PlacedPosition
from mujina.review.draft_notes.params import CreateDraftNote, EditDraftNote
from mujina.review.draft_notes.rules import DraftNoteRow, own_drafts
from mujina.review.merge_requests.declarations.noteable import noteable_of
from mujina.review.merge_requests.operations import lock
from mujina.review.merge_requests.rules import MergeRequestRow

MAX_PUBLISHED = 1_000
"""Draft notes that one request publishes at most."""


async def create(tx: Tx, actor: Actor, request_id: int, change: CreateDraftNote, placed: PlacedPosition | None) -> int:
    """A note that only its author sees."""
    notes.check_body(change.note)
    return await insert_id(
        tx, "draft_notes", merge_request_id=request_id, author_id=actor.id, note=change.note,
        discussion_id=change.in_reply_to_discussion_id or None, resolve_discussion=bool(change.resolve_discussion),
        **timestamps(), **_columns(placed),
    )  # fmt: skip


async def edit(tx: Tx, draft: DraftNoteRow, change: EditDraftNote, placed: PlacedPosition | None) -> None:
    columns: dict[str, Any] = {"updated_at": clock.now()}
    if isinstance(change.note, str):
        notes.check_body(change.note)
        columns["note"] = change.note
    await update(tx, "draft_notes", columns | (_columns(placed) if placed is not None else {}), id=draft.id)


async def remove(tx: Tx, draft: DraftNoteRow) -> None:
    await tx.run("DELETE FROM draft_notes WHERE id = :id", id=draft.id)


async def find_all(tx: Tx, actor: Actor, request_id: int) -> list[DraftNoteRow]:
    """All draft notes of the actor on the request, the oldest first."""
    selection = own_drafts(actor, request_id)
    return await tx.rows(
        DraftNoteRow,
        f"SELECT {DraftNoteRow.columns} {selection.text} ORDER BY d.id LIMIT :max",
        max=MAX_PUBLISHED,
        **selection.bound,
    )


async def publish(tx: Tx, actor: Actor, request: MergeRequestRow, drafts: list[DraftNoteRow]) -> list[WrittenNote]:
    """Turn the drafts into notes; concurrent requests publish each of them once."""
    # One after another: otherwise each could wait for a draft, or for the discussion, of the other.
    await lock(tx, request.id)
    noteable = noteable_of(request)
    return [
        await _publish(tx, actor, request, noteable, draft)
        for draft in drafts
        if await tx.run("DELETE FROM draft_notes WHERE id = :id", id=draft.id)
    ]


async def _publish(
    tx: Tx, actor: Actor, request: MergeRequestRow, noteable: Noteable, draft: DraftNoteRow
) -> WrittenNote:
    """A reply to a discussion that is gone becomes a comment."""
    thread: list[int] = await _thread(tx, noteable, draft.discussion_id)
    discussion_id = draft.discussion_id if thread else token_hex(20)
    individual = not thread and draft.position is None
    written = await write(
        tx, actor, noteable, CreateNote(body=draft.note), discussion_id=discussion_id, individual=individual
    )
    if written.note_id is None or discussion_id is None:
        return written
    if thread:
        await notes.open_discussion(tx, noteable, discussion_id)
    elif draft.position is not None:
        await discussions.put_position(
            tx, request.id, discussion_id, PlacedPosition(decode(draft.position), draft.line_code)
        )
    if draft.resolve_discussion and request.resolver and not individual:
        await discussions.resolve(tx, actor, request, [*thread, written.note_id], resolved=True)
    return written


async def _thread(tx: Tx, noteable: Noteable, discussion_id: str | None) -> list[int]:
    """The notes that the draft replies to; a discussion on something else does not count."""
    return await tx.values(
        """SELECT note.id FROM notes note WHERE note.discussion_id = :discussion_id AND NOT note.system
           AND note.noteable_kind = :noteable_kind AND note.noteable_id = :noteable_id""",
        discussion_id=discussion_id or "",
        **noteable.bound,
    )


def _columns(placed: PlacedPosition | None) -> dict[str, Any]:
    if placed is None:
        return {"position": None, "line_code": None}
    return {"position": encode(placed.position).decode(), "line_code": placed.line_code}
