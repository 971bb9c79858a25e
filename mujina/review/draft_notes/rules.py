"""The only ways to find draft notes: everyone sees their own."""

from mujina.kernel.db.rows import Row, find_row
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.permissions.actor import Actor


class DraftNoteRow(Row, alias="d"):
    id: int
    author_id: int
    merge_request_id: int
    note: str
    discussion_id: str | None
    resolve_discussion: bool
    position: str | None
    line_code: str | None
    updated_at: str


def own_drafts(actor: Actor, request_id: int) -> Selection:
    """The draft notes of the actor on this request."""
    return Selection(
        "draft_notes d",
        "d.merge_request_id = :request_id AND d.author_id = :author_id",
        request_id=request_id,
        author_id=actor.id,
    )


async def find_draft(tx: Tx, actor: Actor, request_id: int, draft_id: int) -> DraftNoteRow:
    selection = own_drafts(actor, request_id)
    selection = selection.where("d.id = :draft_id", draft_id=draft_id)
    return await find_row(tx, DraftNoteRow, selection, "Draft Note")
