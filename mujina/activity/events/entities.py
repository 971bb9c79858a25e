"""What is shown of a contribution."""

from typing import LiteralString

import msgspec
from msgspec import UNSET, UnsetType

from mujina.accounts.users.entities import REF, RefRow, UserRef, refs
from mujina.activity.events.kinds import KINDS
from mujina.code.repositories.changes import BRANCHES, TAGS, ZERO
from mujina.code.wikis.slugs import title_of
from mujina.kernel.db.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.paging import Page
from mujina.planning.notes.entities import Note


class PushData(msgspec.Struct):
    """What a push did to one ref."""

    commit_count: int
    action: str
    ref_type: str
    commit_from: str | None
    commit_to: str | None
    ref: str
    commit_title: str | None


class Contribution(msgspec.Struct, kw_only=True):
    project_id: int
    action_name: str
    target_id: int | None
    target_iid: int | None
    target_type: str | None
    author_id: int
    target_title: str | None
    created_at: str
    note: Note | UnsetType = UNSET
    push_data: PushData | UnsetType = UNSET
    author: UserRef
    author_username: str


class ShownRow(RefRow):
    """The columns of `COLUMNS`: the author, then what happened."""

    kind: str
    project_id: int
    project_name: str
    imported: bool
    subject_id: int
    changes: str
    created_at: str
    issue_id: int | None
    issue_iid: int | None
    issue_title: str | None
    milestone_id: int | None
    """None: deleted since."""
    milestone_iid: int | None
    milestone_title: str | None
    commit_title: str | None
    snippet_id: int | None
    snippet_title: str | None
    note_body: str | None
    note_author_id: int | None
    note_created_at: str | None
    note_updated_at: str | None


COLUMNS: LiteralString = f"""{REF}, event.kind, p.id, p.name, p.import_url IS NOT NULL, event.subject_id,
     CASE WHEN event.subject_kind IN ('repository', 'wiki_page') THEN event.changes ELSE '{{}}' END, event.created_at,
    i.id, i.iid, i.title, ms.id, ms.iid, ms.title, c.title, s.id, s.title,
    note.body, note.author_id, note.created_at, note.updated_at"""


async def listed(tx: Tx, chosen: Selection, order: LiteralString, page: Page) -> list[Contribution]:
    """One page of a feed."""
    rows = await tx.rows(
        ShownRow,
        f"""
        SELECT {COLUMNS} FROM {chosen.source}
        LEFT JOIN milestones ms ON event.subject_kind = 'milestone' AND ms.id = event.subject_id
        WHERE event.id IN (SELECT event.id {chosen.text} ORDER BY {order} LIMIT :limit OFFSET :offset)
        ORDER BY {order}
        """,
        **chosen.bound,
        **page.bound,
    )
    writers = {
        user.id: user for user in await refs(tx, sorted({row.note_author_id for row in rows if row.note_author_id}))
    }
    return [_shown(row, writers) for row in rows]


def _shown(row: ShownRow, writers: dict[int, UserRef]) -> Contribution:
    kind, author = KINDS[row.kind], row.shown()
    target_id, target_iid, title = _target(row)
    return Contribution(
        project_id=row.project_id, action_name=_action_name(row, kind.action_name), target_id=target_id,
        target_iid=target_iid, target_type=kind.target_type, author_id=author.id, target_title=title,
        created_at=row.created_at, note=_note(row, writers), push_data=_push(row), author=author,
        author_username=author.username,
    )  # fmt: skip


def _target(row: ShownRow) -> tuple[int | None, int | None, str | None]:
    """Id, iid and title of what it was done to."""
    match row.kind.partition(".")[0]:
        case "issue":
            return row.subject_id, row.issue_iid, row.issue_title
        case "note":
            # Compat: a note has no number of its own, and the feed gives its id for one.
            return row.subject_id, row.subject_id, row.issue_title or row.commit_title or row.snippet_title
        case "milestone":
            return row.milestone_id, row.milestone_iid, row.milestone_title
        case "project":
            return row.subject_id, None, row.project_name
        case "wiki_page":
            slugs = msgspec.json.decode(row.changes, type=_Page).slug
            return None, None, title_of(slugs[1] or slugs[0] or "")
        case _:
            return None, None, None


def _note(row: ShownRow, writers: dict[int, UserRef]) -> Note | UnsetType:
    if row.note_body is None or row.note_author_id not in writers:
        return UNSET
    about = "Issue" if row.issue_id else "Snippet" if row.snippet_id else "Commit"
    return Note(
        row.subject_id, row.note_body, None, writers[row.note_author_id], row.note_created_at or "",
        row.note_updated_at or "", False, row.issue_id or row.snippet_id, about, row.issue_iid,
    )  # fmt: skip


class _Page(msgspec.Struct, frozen=True):
    slug: tuple[str | None, str | None]


class _Pushed(msgspec.Struct, frozen=True):
    ref: str
    sha: tuple[str, str]
    commit_count: int
    commit_title: str | None


def _push(row: ShownRow) -> PushData | UnsetType:
    if row.kind != "repository.pushed":
        return UNSET
    told = msgspec.json.decode(row.changes, type=_Pushed)
    before, after = (None if sha == ZERO else sha for sha in told.sha)
    action = "created" if before is None else "removed" if after is None else "pushed"
    ref_type = "tag" if told.ref.startswith(TAGS) else "branch"
    name = told.ref.removeprefix(TAGS).removeprefix(BRANCHES)
    return PushData(told.commit_count, action, ref_type, before, after, name, told.commit_title)


def _action_name(row: ShownRow, usual: str) -> str:
    if row.kind == "project.created" and row.imported:
        return "imported"
    match _push(row):
        case PushData(action="created"):
            return "pushed new"
        case PushData(action="removed"):
            return "deleted"
        case _:
            return usual
