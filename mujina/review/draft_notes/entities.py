"""Draft notes as the API shows them."""

from typing import Any

import msgspec

from mujina.kernel.db.entities import to_entity
from mujina.kernel.db.sql.selection import ascending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.lists.pages import load_rows
from mujina.kernel.permissions.actor import Actor
from mujina.planning.discussions.positions import decode
from mujina.review.draft_notes.rules import DraftNoteRow, own_drafts


class DraftNote(msgspec.Struct):
    id: int
    author_id: int
    merge_request_id: int
    resolve_discussion: bool
    discussion_id: str | None
    note: str
    commit_id: None
    line_code: str | None
    position: Any
    """As in notes; null if it is about the whole request."""


def to_draft_note(row: DraftNoteRow) -> DraftNote:
    position = None if row.position is None else decode(row.position)
    return to_entity(DraftNote, row, commit_id=None, position=position)


async def load_page(tx: Tx, actor: Actor, request_id: int, page: Page) -> Paged[DraftNote]:
    """One page, the oldest first."""
    selection = own_drafts(actor, request_id)
    return (await load_rows(tx, DraftNoteRow, selection, ascending("d.id"), page)).map(to_draft_note)
