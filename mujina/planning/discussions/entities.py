"""Discussions: notes and their replies, as the API shows them."""

from functools import partial
from typing import LiteralString

import msgspec

from mujina.kernel import errors
from mujina.kernel.db.sql.selection import Sql, ascending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.lists.pages import load_by_ids
from mujina.kernel.permissions.actor import Actor
from mujina.planning.noteables.kinds import Noteable
from mujina.planning.notes import filters
from mujina.planning.notes.entities import Note, with_details
from mujina.planning.notes.filters import NotesOf
from mujina.planning.notes.rows import NoteView


class Discussion(msgspec.Struct):
    id: str
    individual_note: bool
    """Whether this is a plain comment and not a thread."""
    notes: list[Note]


async def load_page(tx: Tx, noteable: Noteable, selection: NotesOf, page: Page) -> Paged[Discussion]:
    """One page of discussions with all their notes, the oldest first; notes are walked along an index, not grouped."""
    every, threads = selection.notes.count, selection.notes.where("NOT note.individual")
    replies: LiteralString = f"SELECT count(*) - count(DISTINCT note.discussion_id) {threads.text}"
    first = selection.notes.where(_first(selection)).counted(Sql(f"SELECT ({every.text}) - ({replies})", **every.bound))
    return await load_by_ids(
        tx, "note.discussion_id", first, ascending("note.id"), page, partial(_with_notes, tx, noteable, selection)
    )


def _first(selection: NotesOf) -> LiteralString:
    """Whether a note is the first of its discussion that the caller sees; a plain comment is one by itself."""
    return f"""(note.individual OR NOT EXISTS (
        SELECT 1 FROM (SELECT note.id AS id, note.discussion_id AS discussion_id) this CROSS JOIN notes note
        WHERE note.discussion_id = this.discussion_id AND note.id < this.id AND {_by_discussion(selection)}))"""


def _by_discussion(selection: NotesOf) -> LiteralString:
    """The condition for notes of known discussions, such that SQLite finds them by these and reads no others."""
    return f"""note.noteable_kind || '' = :noteable_kind AND note.noteable_id + 0 = :noteable_id
        AND {selection.readable.for_scan}"""


async def load_one(tx: Tx, noteable: Noteable, selection: NotesOf, discussion_id: str) -> Discussion | None:
    """The discussion, if the selection contains one of its notes."""
    return next(iter(await _with_notes(tx, noteable, selection, [discussion_id])), None)


async def find_discussion(tx: Tx, actor: Actor, noteable: Noteable, discussion_id: str) -> Discussion:
    """The discussion with those of its notes that the actor may read; 404 if there are none."""
    found = await load_one(tx, noteable, await filters.about(tx, actor, noteable), discussion_id)
    return errors.or_not_found(found, "Discussion")


async def _with_notes(tx: Tx, noteable: Noteable, selection: NotesOf, ids: list[str]) -> list[Discussion]:
    rows = await tx.rows(
        NoteView,
        f"""SELECT {NoteView.columns} FROM notes note JOIN users u ON u.id = note.author_id
            WHERE note.discussion_id IN :ids AND {_by_discussion(selection)} ORDER BY note.id""",
        ids=ids,
        **selection.notes.bound,
    )
    found: dict[str, Discussion] = {}
    for row, note in zip(rows, await with_details(tx, noteable, rows), strict=True):
        discussion = found.setdefault(row.discussion_id, Discussion(row.discussion_id, row.individual, []))
        discussion.notes.append(note)
    return [found[id_] for id_ in ids if id_ in found]
