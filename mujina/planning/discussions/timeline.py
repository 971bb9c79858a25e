"""The discussions on one noteable as pages show them: the oldest first, rendered, with what the reader may do."""

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, LiteralString

import msgspec

from mujina.accounts.users.entities import UserRef
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.html.pages import NOTE
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.permissions.rules import REQUESTED, Rule
from mujina.kernel.services import Services
from mujina.kernel.urls import instance_address
from mujina.planning.noteables.kinds import Noteable
from mujina.planning.notes import filters
from mujina.planning.notes.rows import NoteView, shown_authors
from mujina.planning.notes.rules import EDIT_NOTE, READ_NOTE, moderator
from mujina.planning.subscriptions.participation import first_participants
from mujina.rendering import markdown
from mujina.rendering.html import Html
from mujina.rendering.markdown import MarkdownText
from mujina.rendering.markdown_pieces import TextPlace
from mujina.workspaces.members.views.roles import roles_in

MAX_NOTES: Final = 200
"""The number of notes that are shown at once; of more, the first, the last and those around the requested one."""
_FIRST: LiteralString = "20"
_MIDDLE: LiteralString = "100"
_LAST: LiteralString = "100"
_READ: LiteralString = "300"
_MOST: LiteralString = "400"
"""Notes of the threads of one page of changes."""

_ICONS = (
    ("Work In Progress", "git-pull-request-draft"),
    ("mentioned in merge request", "git-pull-request"), ("mentioned in commit", "git-commit-horizontal"), ("mentioned in", "link"),
    (" task ", "list-checks"), (" label", "tags"), ("assign", "user"), ("review", "user"), ("approv", "user-check"),
    ("milestone", "milestone"), ("time spent", "clock"), ("time estimate", "clock"), ("due date", "calendar"),
    ("title", "pencil"), ("description", "pencil"), ("confidential", "lock"), ("unlocked", "lock-open"), ("locked", "lock"),
    ("weight", "weight"), ("duplicate", "copy"), ("related", "link"), ("epic", "layers"), ("moved", "arrow-right"),
    ("merge", "git-merge"), ("branch", "git-branch"), ("commit", "git-commit-horizontal"), ("closed", "circle-check"),
)  # fmt: skip
"""A word of a sentence that the server wrote, and what stands before the sentence; the first that fits."""

DISCUSSION_PARTS: Mapping[str, tuple[str, ...]] = dict.fromkeys(("discussion", NOTE), ("discussion", "facts"))
"""The blocks for `HtmlPage` that change when a note is written, edited or deleted."""

_WORK_IN_PROGRESS = re.compile(r"^(<p>(?:un)?)marked as a <strong>Work In Progress</strong>")
_ADDED, _REMOVED = re.compile(r"\{\+([^<>]*?)\+\}"), re.compile(r"\{-([^<>]*?)-\}")


class TimelineView(NoteView):
    editable: Annotated[bool, REQUESTED]
    """Whether the actor may edit and delete it."""
    resolver_name: Annotated[str | None, "(SELECT who.name FROM users who WHERE who.id = note.resolved_by_id)"]


class TimelineNote(msgspec.Struct):
    id: int
    author: UserRef
    created_at: str
    updated_at: str
    system: bool
    body: str
    html: Html
    editable: bool
    role: str = ""
    """The role of its author in the project; empty: none, or not asked for."""
    suggestions: Sequence[Any] = ()
    """The changes of lines that it suggests, if the slice that owns the rows says so."""

    @property
    def edited(self) -> bool:
        return self.updated_at > self.created_at

    @property
    def icon(self) -> str:
        """The icon of a note that the server wrote, by its subject."""
        return next((icon for word, icon in _ICONS if word in self.body), "circle-dot")


class Thread(msgspec.Struct):
    """A comment with its replies."""

    id: str
    individual: bool
    notes: list[TimelineNote]
    gap: int = 0
    """Notes are left out after it: from this id on; 0: none."""
    hidden: int = 0
    """How many they are."""
    resolvable: bool = False
    resolved_at: str | None = None
    """None: a note of it is open."""
    resolved_by: str | None = None
    line: Any = None
    """The position in a diff that it is about, if the slice that owns the rows says so."""


class Timeline(msgspec.Struct, frozen=True):
    threads: list[Thread]
    opening: Html
    """The rendered text above the notes."""
    draft: Html | None = None
    """The text that is being written, for its preview."""
    participants: Sequence[UserRef] = ()
    """The first of them, the author before all others; empty if not asked for."""
    roles: Mapping[int, str] = {}
    """The roles of the authors in the project, by their ids; empty if not asked for."""


def text_place(path: str, *, group: bool = False) -> TextPlace:
    """Where the texts of a project or group are, of which a page shows several."""
    project, of_group = ("", path) if group else (path, "")
    return TextPlace(base=instance_address.get().base, project=project, group=of_group, anchors=False, below=2)


async def read_timeline(
    services: Services, tx: Tx, actor: Actor, noteable: Noteable, place: TextPlace, *, note: int, opening: str = "",
    draft: str | None, roles: bool = False, participants: bool = False,
) -> Timeline:  # fmt: skip
    """The notes that the actor may read; of a long discussion also those that follow on `note`.

    `opening`: a text above them, such as the description, whose references are found together with theirs; `draft`: a
    text that is being written. `roles`: with the roles of the authors in the project, for those who are signed in;
    `participants`: with those who take part.
    """
    selection = await filters.about(tx, actor, noteable)
    rows = await _rows(tx, noteable, selection.notes, "", {})
    gaps: Gaps = {}
    if len(rows) > MAX_NOTES:
        rows = await _rows(tx, noteable, selection.notes, _window(selection.notes.text), {"note": note})
        gaps = await _gaps(tx, selection.notes, [row.id for row in rows])
    sources = [MarkdownText(text, place) for text in (opening, draft or "", *(row.body for row in rows))]
    first, second, *texts = await markdown.show(services, tx, actor, sources)
    threads = _threads(noteable, rows, texts, gaps)
    people, levels = list[UserRef](), dict[int, int]()
    if participants:
        people, levels = await first_participants(tx, actor, noteable, readable=selection.readable)
    found: Mapping[int, str] = await _add_roles(tx, noteable, threads, levels) if roles and not actor.anonymous else {}
    return Timeline(threads, first, None if draft is None else second, people, found)


Gaps = dict[int, int]
"""The id of a note → how many notes are left out after it."""


async def _gaps(tx: Tx, selection: Selection, ids: list[int]) -> Gaps:
    """Where notes are left out: before those around the one that is asked for, and after them."""
    first, last = ids[: int(_FIRST)][-1], ids[-int(_LAST) :][0]
    middle = ids[int(_FIRST) : -int(_LAST)]
    spans = [(first, middle[0]), (middle[-1], last)] if middle else [(first, last)]
    row = await tx.row(
        tuple[int, int],
        f"""SELECT (SELECT count(*) {selection.text} AND note.id > :after_first AND note.id < :before_first),
                   (SELECT count(*) {selection.text} AND note.id > :after_second AND note.id < :before_second)""",
        **selection.bound,
        after_first=spans[0][0], before_first=spans[0][1], after_second=spans[-1][0], before_second=spans[-1][1],
    )  # fmt: skip
    return {after: n for (after, _), n in zip(spans, row or (), strict=False) if n}


async def _rows(
    tx: Tx, noteable: Noteable, selection: Selection, window: LiteralString, bound: dict[str, int]
) -> list[TimelineView]:
    """The notes of the window; without one, the first of them, more than are shown."""
    return await tx.rows(
        TimelineView,
        f"""SELECT {_columns(noteable)} FROM notes note JOIN users u ON u.id = note.author_id
            WHERE {selection.condition}{window} ORDER BY note.id LIMIT {_READ}""",
        **selection.bound,
        **bound,
    )


async def _add_roles(
    tx: Tx, noteable: Noteable, threads: Sequence[Thread], levels: Mapping[int, int]
) -> Mapping[int, str]:
    """`levels`: of some users in the project."""
    if noteable.project_id is None:
        return {}
    notes = [note for thread in threads for note in thread.notes if not note.system]
    authors = {note.author.id for note in notes} | ({noteable.author_id} if noteable.author_id else set[int]())
    found = await roles_in(tx, noteable.project_id, authors, levels)
    for note in notes:
        note.role = found.get(note.author.id, "")
    return found


async def read_threads(
    services: Services, tx: Tx, actor: Actor, noteable: Noteable, place: TextPlace, ids: Sequence[str]
) -> list[Thread]:
    """Reads these discussions on one noteable; of very many notes, the first."""
    notes = (await filters.about(tx, actor, noteable)).notes
    rows = await tx.rows(
        TimelineView,
        f"""SELECT {_columns(noteable)} FROM notes note JOIN users u ON u.id = note.author_id
            WHERE note.discussion_id IN :discussion_ids AND {notes.condition} ORDER BY note.id LIMIT {_MOST}""",
        discussion_ids=list(ids),
        **notes.bound,
    )
    texts = await markdown.show(services, tx, actor, [MarkdownText(row.body, place) for row in rows])
    return _threads(noteable, rows, texts, {})


def _columns(noteable: Noteable) -> LiteralString:
    facts: dict[Rule, bool] = {READ_NOTE: True, moderator: noteable.moderated}
    return TimelineView.columns_assuming({REQUESTED: EDIT_NOTE.assuming(facts)})


def _window(text: LiteralString) -> LiteralString:
    return f""" AND (note.id IN (SELECT note.id {text} ORDER BY note.id LIMIT {_FIRST})
        OR note.id IN (SELECT note.id {text} ORDER BY note.id DESC LIMIT {_LAST})
        OR (:note > 0 AND note.id IN (SELECT note.id {text} AND note.id >= :note ORDER BY note.id LIMIT {_MIDDLE})))"""


def _marked(html: Html) -> Html:
    """System notes mark what changed in a title by `{-` `-}` and `{+` `+}`. Pages have another word for work in progress
    than the API.
    """
    marked = _ADDED.sub(r"<ins>\1</ins>", _REMOVED.sub(r"<del>\1</del>", html))
    return Html(_WORK_IN_PROGRESS.sub(r"\1marked as a <strong>draft</strong>", marked))


def _threads(noteable: Noteable, rows: Sequence[TimelineView], texts: Sequence[Html], gaps: Gaps) -> list[Thread]:
    found = dict[str, Thread]()
    authors = shown_authors(rows)
    for row, text in zip(rows, texts, strict=True):
        thread = found.setdefault(row.discussion_id, Thread(row.discussion_id, row.individual, []))
        html = _marked(text) if row.system else text
        thread.notes.append(
            TimelineNote(
                id=row.id,
                author=authors[row.author.id],
                created_at=row.created_at,
                updated_at=row.updated_at,
                system=row.system,
                body=row.body,
                html=html,
                editable=row.editable,
            )
        )
        if noteable.resolvable and not row.individual and not row.system:
            is_open = thread.resolvable and thread.resolved_at is None
            thread.resolvable = True
            thread.resolved_at = None if is_open else row.resolved_at
            thread.resolved_by = row.resolver_name
        if row.id in gaps:
            newest = next(reversed(found.values()))  # a reply stands with the thread that it belongs to, further up
            newest.gap, newest.hidden = row.id + 1, gaps[row.id]
    return list(found.values())
