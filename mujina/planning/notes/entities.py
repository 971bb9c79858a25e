"""Notes as the API shows them."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, LiteralString

from msgspec import UNSET

from mujina.accounts.users.entities import refs
from mujina.kernel.db.entities import entity_maker, to_entity
from mujina.kernel.db.rows import find_row
from mujina.kernel.db.sql.selection import Order, Selection, descending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.requests.newer_fields import has_newer_fields
from mujina.kernel.lists.pages import load_joined
from mujina.planning.noteables.kinds import Noteable, NoteableKind, noteable_kind
from mujina.planning.notes.rows import Note, NoteView, shown_authors


def _notes(noteable: Noteable, rows: Sequence[NoteView]) -> list[Note]:
    """The notes of these rows."""
    authors = shown_authors(rows)
    make = entity_maker(Note, NoteView, "author", "resolved_at")
    return [
        make(
            row, attachment=None, author=authors[row.author.id], noteable_id=noteable.id, noteable_type=noteable.type,
            noteable_iid=noteable.iid,
        )
        for row in rows
    ]  # fmt: skip


class FoundNoteView(NoteView):
    """A note with the issue (`i`) or the merge request (`mr`) that it is on."""

    noteable_id: Annotated[int, "note.noteable_id"]
    noteable_kind: Annotated[str, "note.noteable_kind"]
    noteable_iid: Annotated[int | None, "coalesce(i.iid, mr.iid)"]


_SOURCE: LiteralString = "notes note JOIN users u ON u.id = note.author_id"
_TYPES = {"issue": "Issue", "merge_request": "MergeRequest"}


async def load_page(tx: Tx, noteable: Noteable, selection: Selection, order: Order, page: Page) -> Paged[Note]:
    """One page of the notes on one noteable; only newer API versions have details in lists."""
    rows = await load_joined(tx, NoteView, _SOURCE, "note.id", selection, order, page)
    detailed = has_newer_fields(tx.settings)
    return rows.with_items(await with_details(tx, noteable, rows.items) if detailed else _notes(noteable, rows.items))


async def found(tx: Tx, selection: Selection, page: Page) -> Paged[Note]:
    """One page of notes on different issues and merge requests, the newest first."""
    source: LiteralString = f"""{_SOURCE} LEFT JOIN issues i ON note.noteable_kind = 'issue' AND i.id = note.noteable_id
        LEFT JOIN merge_requests mr ON note.noteable_kind = 'merge_request' AND mr.id = note.noteable_id"""
    rows = await load_joined(tx, FoundNoteView, source, "note.id", selection, descending("note.id"), page)
    notes = rows.map(
        lambda row: to_entity(
            Note, row, attachment=None, author=row.author.shown(), noteable_type=_TYPES[row.noteable_kind],
            resolved_at=UNSET,
        )
    )  # fmt: skip
    if has_newer_fields(tx.settings):
        pairs = [pair for pair in zip(rows.items, notes.items, strict=True) if pair[0].noteable_kind == "merge_request"]
        await _add_details(tx, noteable_kind(tx.product, "merge_request"), pairs)
    return notes


async def load_one(tx: Tx, noteable: Noteable, note_id: int) -> Note:
    """One note; 404 if it was deleted in the meantime."""
    selection = Selection(_SOURCE, "note.id = :id", id=note_id)
    return await to_note(tx, noteable, await find_row(tx, NoteView, selection, "Note"))


async def to_note(tx: Tx, noteable: Noteable, row: NoteView) -> Note:
    """The note of this row."""
    return (await with_details(tx, noteable, [row]))[0]


async def with_details(tx: Tx, noteable: Noteable, rows: Sequence[NoteView]) -> list[Note]:
    """The notes, and on merge requests what they are about and whether they are resolved."""
    notes = _notes(noteable, rows)
    if noteable.resolvable:
        await _add_details(tx, noteable_kind(tx.product, noteable.kind), list(zip(rows, notes, strict=True)))
    return notes


async def _add_details(tx: Tx, kind: NoteableKind | None, pairs: Sequence[tuple[NoteView, Note]]) -> None:
    if kind is None:
        return
    rows = [row for row, _ in pairs]
    ids = sorted({row.discussion_id for row in rows if not row.individual})
    positions: Mapping[str, Any] = await kind.positions(tx, ids) if kind.positions is not None and ids else {}
    suggested = await _suggestions(tx, kind, [row for row in rows if row.discussion_id in positions])
    people = await refs(tx, sorted({row.resolved_by_id for row in rows if row.resolved_by_id is not None}))
    resolvers = {person.id: person for person in people}
    for row, note in pairs:
        note.resolvable = not row.system and not row.individual
        note.type, note.commands_changes = None, {}
        if note.resolvable:
            note.type = "DiscussionNote"
            note.resolved, note.resolved_at = row.resolved_at is not None, row.resolved_at
            note.resolved_by = resolvers.get(row.resolved_by_id or 0)
        if note.resolvable and row.discussion_id in positions:
            note.type, note.position = "DiffNote", positions[row.discussion_id]
            note.suggestions = suggested.get(row.id, [])


async def _suggestions(tx: Tx, kind: NoteableKind, rows: Sequence[NoteView]) -> Mapping[int, Any]:
    ids = [row.id for row in rows if "suggestion" in row.body]
    return await kind.suggestions(tx, ids) if kind.suggestions is not None and ids else {}
