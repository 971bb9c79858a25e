"""The discussions on one noteable as pages show them: the oldest first, rendered, with what the reader may do."""

import re
from collections.abc import Sequence
from typing import Annotated, Final, LiteralString

import msgspec

from mujina.accounts.users.entities import UserRef
from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx
from mujina.kernel.noteables import Noteable
from mujina.kernel.rules import Rule, asked
from mujina.kernel.services import Services
from mujina.kernel.urls import instance_address
from mujina.planning.notes import filters
from mujina.planning.notes.entities import NoteView
from mujina.planning.notes.rules import EDIT_NOTE, READ_NOTE, moderator
from mujina.rendering import markdown
from mujina.rendering.html import Html
from mujina.rendering.markdown import MarkdownText
from mujina.rendering.markdown_pieces import TextPlace

MAX_NOTES: Final = 200
"""So many notes are shown at once; of more, the first, the last and those around the one that is asked for."""
_FIRST: LiteralString = "20"
_MIDDLE: LiteralString = "100"
_LAST: LiteralString = "100"


_ADDED, _REMOVED = re.compile(r"\{\+([^<>]*?)\+\}"), re.compile(r"\{-([^<>]*?)-\}")


class TimelineView(NoteView):
    editable: Annotated[bool, asked]
    """Whether the actor may edit and delete it."""


class TimelineNote(msgspec.Struct, frozen=True):
    id: int
    author: UserRef
    created_at: str
    updated_at: str
    system: bool
    body: str
    html: Html
    editable: bool

    @property
    def edited(self) -> bool:
        return self.updated_at > self.created_at


class Thread(msgspec.Struct):
    """A comment with its replies."""

    id: str
    individual: bool
    notes: list[TimelineNote]
    gap: int = 0
    """Notes are left out after it: the id after which they start; 0: none."""


class Timeline(msgspec.Struct, frozen=True):
    threads: list[Thread]
    hidden: int
    """How many notes are left out."""


def text_place(project_path: str) -> TextPlace:
    """Where the texts of a project are, of which a page shows several."""
    return TextPlace(base=instance_address.get().base, project=project_path, anchors=False, below=2)


async def read_timeline(
    services: Services, tx: Tx, actor: Actor, noteable: Noteable, place: TextPlace, *, note: int = 0
) -> Timeline:
    """The notes that the actor may read; of a long discussion also those that follow on `note`."""
    chosen = await filters.about(tx, actor, noteable)
    total = await chosen.total(tx)
    facts: dict[Rule, bool] = {READ_NOTE: True, moderator: noteable.moderated}
    columns = TimelineView.columns_given({asked: EDIT_NOTE.given(facts)})
    rows = await tx.rows(
        TimelineView,
        f"""SELECT {columns} FROM notes note JOIN users u ON u.id = note.author_id
            WHERE {chosen.where}{_window(chosen.text) if total > MAX_NOTES else ""} ORDER BY note.id""",
        **chosen.bound,
        **({"note": note} if total > MAX_NOTES else {}),
    )
    texts = await markdown.show(services, tx, actor, [MarkdownText(row.body, place) for row in rows])
    return Timeline(_threads(rows, texts, gapped=total > MAX_NOTES), total - len(rows))


def _window(text: LiteralString) -> LiteralString:
    return f""" AND (note.id IN (SELECT note.id {text} ORDER BY note.id LIMIT {_FIRST})
        OR note.id IN (SELECT note.id {text} ORDER BY note.id DESC LIMIT {_LAST})
        OR (:note > 0 AND note.id IN (SELECT note.id {text} AND note.id >= :note ORDER BY note.id LIMIT {_MIDDLE})))"""


def _marked(html: Html) -> Html:
    """System notes mark what changed in a title by `{-` `-}` and `{+` `+}`."""
    return Html(_ADDED.sub(r"<ins>\1</ins>", _REMOVED.sub(r"<del>\1</del>", html)))


def _threads(rows: Sequence[TimelineView], texts: Sequence[Html], *, gapped: bool) -> list[Thread]:
    found = dict[str, Thread]()
    for row, text in zip(rows, texts, strict=True):
        thread = found.setdefault(row.discussion_id, Thread(row.discussion_id, row.individual, []))
        html = _marked(text) if row.system else text
        thread.notes.append(
            TimelineNote(
                row.note_id, row.shown(), row.created_at, row.updated_at, row.system, row.body, html, row.editable
            )
        )
    threads = list(found.values())
    if gapped and len(threads) > int(_FIRST):
        opener = threads[int(_FIRST) - 1]
        opener.gap = opener.notes[-1].id + 1
    return threads
