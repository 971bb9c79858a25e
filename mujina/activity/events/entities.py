"""Contributions as the API shows them."""

from typing import Annotated, LiteralString, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from mujina.accounts.users.entities import RefRow, UserRef, refs
from mujina.activity.events import walks
from mujina.activity.events.filters import SOURCE, CountedFeed, Feed
from mujina.activity.events.kinds import KINDS
from mujina.code.pushes.changes import BRANCHES, TAGS, ZERO
from mujina.code.wikis.slugs import title_of
from mujina.kernel.db.sql.selection import Order
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.lists.pages import PagePlan, plan_page, read_ids
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
    # Compat: `id` is younger than the specification; today's clients require it.
    id: int
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


class ContributionView(RefRow):
    """An event with its author (`u`), its project (`p`) and its subject."""

    event_id: Annotated[int, "event.id"]
    kind: Annotated[str, "event.kind"]
    project_id: Annotated[int, "p.id"]
    project_name: Annotated[str, "p.name"]
    imported: Annotated[bool, "p.import_url IS NOT NULL"]
    subject_id: Annotated[int, "event.subject_id"]
    changes: Annotated[
        str, "CASE WHEN event.subject_kind IN ('repository', 'wiki_page') THEN event.changes ELSE '{}' END"
    ]
    created_at: Annotated[str, "event.created_at"]
    issue_id: Annotated[int | None, "i.id"]
    issue_iid: Annotated[int | None, "i.iid"]
    issue_title: Annotated[str | None, "i.title"]
    merge_request_id: Annotated[int | None, "mr.id"]
    merge_request_iid: Annotated[int | None, "mr.iid"]
    merge_request_title: Annotated[str | None, "mr.title"]
    milestone_id: Annotated[int | None, "ms.id"]
    """None for a deleted milestone."""
    milestone_iid: Annotated[int | None, "ms.iid"]
    milestone_title: Annotated[str | None, "ms.title"]
    commit_title: Annotated[str | None, "c.title"]
    snippet_id: Annotated[int | None, "s.id"]
    snippet_title: Annotated[str | None, "s.title"]
    note_body: Annotated[str | None, "note.body"]
    note_type: Annotated[
        str,
        """CASE WHEN mr.id IS NULL OR note.individual OR note.id IS NULL THEN 'Note'
            WHEN EXISTS (SELECT 1 FROM diff_positions at WHERE at.discussion_id = note.discussion_id) THEN 'DiffNote'
            ELSE 'DiscussionNote' END""",
    ]
    note_author_id: Annotated[int | None, "note.author_id"]
    note_created_at: Annotated[str | None, "note.created_at"]
    note_updated_at: Annotated[str | None, "note.updated_at"]


_View = TypeVar("_View", bound=ContributionView)


async def read(tx: Tx, view: type[_View], feed: Feed, plan: PagePlan, joined: LiteralString = "") -> list[_View]:
    """Some rows of a feed, with what is `joined` to them: their ids come from an index, then only those rows are read."""
    ids = await (walks.ids(tx, feed, plan) if feed.projects else read_ids(tx, "event.id", feed.events, plan))
    rows = await tx.rows(
        view,
        f"""SELECT {view.columns} FROM {SOURCE}
            LEFT JOIN milestones ms ON event.subject_kind = 'milestone' AND ms.id = event.subject_id
            {joined} WHERE event.id IN :ids ORDER BY {plan.order.text}""",
        ids=ids,
    )
    return plan.sorted(rows)


async def load_page(tx: Tx, feed: CountedFeed, order: Order, page: Page) -> Paged[Contribution]:
    """One page of a feed and its total; a far page is reached from the nearer end."""
    total = await feed.counts.total(tx, feed.events)
    rows = await read(tx, ContributionView, feed, plan_page(order, page, total)) if total > page.start else []
    writers = {row.id: row.shown() for row in rows}
    others = {row.note_author_id for row in rows if row.note_author_id} - writers.keys()
    writers |= {user.id: user for user in (await refs(tx, sorted(others)) if others else ())}
    return page.of([_to_entity(row, writers) for row in rows], total)


def _to_entity(row: ContributionView, writers: dict[int, UserRef]) -> Contribution:
    kind, author = KINDS[row.kind], row.shown()
    target_id, target_iid, title = _target(row)
    return Contribution(
        id=row.event_id, project_id=row.project_id, action_name=_action_name(row, kind.action_name), target_id=target_id,
        target_iid=target_iid, target_type=row.note_type if kind.target_type == "Note" else kind.target_type,
        author_id=author.id, target_title=title,
        created_at=row.created_at, note=_note(row, writers), push_data=_push(row), author=author,
        author_username=author.username,
    )  # fmt: skip


def _target(row: ContributionView) -> tuple[int | None, int | None, str | None]:
    """Id, iid and title of the subject."""
    match row.kind.partition(".")[0]:
        case "issue":
            return row.subject_id, row.issue_iid, row.issue_title
        case "merge_request":
            return row.subject_id, row.merge_request_iid, row.merge_request_title
        case "note":
            # Compat: a note has no iid; the feed shows its id instead.
            title = row.issue_title or row.merge_request_title or row.commit_title or row.snippet_title
            return row.subject_id, row.subject_id, title
        case "milestone":
            return row.milestone_id, row.milestone_iid, row.milestone_title
        case "project":
            return row.subject_id, None, row.project_name
        case "wiki_page":
            return None, None, title_of(wiki_slug(row))
        case _:
            return None, None, None


def _note(row: ContributionView, writers: dict[int, UserRef]) -> Note | UnsetType:
    if row.note_body is None or row.note_author_id not in writers:
        return UNSET
    types = (("Issue", row.issue_id), ("MergeRequest", row.merge_request_id), ("Snippet", row.snippet_id))
    noteable_type, noteable_id = next((found for found in types if found[1] is not None), ("Commit", None))
    return Note(
        id=row.subject_id, body=row.note_body, attachment=None, author=writers[row.note_author_id],
        created_at=row.note_created_at or "", updated_at=row.note_updated_at or "", system=False,
        noteable_id=noteable_id, noteable_type=noteable_type, noteable_iid=row.issue_iid or row.merge_request_iid,
    )  # fmt: skip


class _WikiPageChange(msgspec.Struct, frozen=True):
    slug: tuple[str | None, str | None]


def wiki_slug(row: ContributionView) -> str:
    """The slug of the page that the event is about, the last one that it had."""
    slugs = msgspec.json.decode(row.changes, type=_WikiPageChange).slug
    return slugs[1] or slugs[0] or ""


class _PushChange(msgspec.Struct, frozen=True):
    ref: str
    sha: tuple[str, str]
    commit_count: int
    commit_title: str | None


def _push(row: ContributionView) -> PushData | UnsetType:
    return pushed(row) if row.kind == "repository.pushed" else UNSET


def pushed(row: ContributionView) -> PushData:
    """The effect of the push that this event records."""
    push = msgspec.json.decode(row.changes, type=_PushChange)
    before, after = (None if sha == ZERO else sha for sha in push.sha)
    action = "created" if before is None else "removed" if after is None else "pushed"
    ref_type = "tag" if push.ref.startswith(TAGS) else "branch"
    name = push.ref.removeprefix(TAGS).removeprefix(BRANCHES)
    return PushData(
        commit_count=push.commit_count, action=action, ref_type=ref_type, commit_from=before, commit_to=after,
        ref=name, commit_title=push.commit_title,
    )  # fmt: skip


def _action_name(row: ContributionView, usual: str) -> str:
    if row.kind == "project.created" and row.imported:
        return "imported"
    match _push(row):
        case PushData(action="created"):
            return "pushed new"
        case PushData(action="removed"):
            return "deleted"
        case _:
            return usual
