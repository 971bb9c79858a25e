"""The hits of a search, as the page shows them: a link, an excerpt with the words marked, and the location."""

from collections.abc import Sequence
from typing import Any, cast
from urllib.parse import urlsplit

import msgspec

from mujina.accounts.users.entities import UserRef
from mujina.activity.dashboard import milestones
from mujina.activity.search.entities import FoundBlob
from mujina.activity.search.excerpts import SearchedWords
from mujina.code.commits.entities import Commit
from mujina.code.wikis.slugs import address_of, slug_at
from mujina.kernel.db.documents import decoded
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Paged
from mujina.kernel.urls import quoted, reference_at
from mujina.planning.epics.entities import Epic
from mujina.planning.issues.views.issue import Issue
from mujina.planning.milestones.entities import Milestone
from mujina.planning.noteables.kinds import NoteableLine, read_lines
from mujina.planning.notes.entities import Note
from mujina.rendering.html import Html
from mujina.review.merge_requests.views.merge_request import MergeRequest

_KINDS = {"Issue": "issue", "MergeRequest": "merge_request"}
_STATES = {"opened": "open", "closed": "closed", "merged": "merged", "active": "open"}
_REQUEST_ICONS = {"closed": "git-pull-request-closed", "merged": "git-merge"}


class Hit(msgspec.Struct, frozen=True):
    """One result."""

    icon: str
    tone: str
    """`open`, `closed` or `merged`; empty: none."""
    title: Html
    address: str
    reference: str
    """Where it is: `group/project#1`."""
    excerpt: Html = Html()
    author: UserRef | None = None
    author_name: str = ""
    """The author of a commit, who may have no account."""
    moment: str = ""
    lines: list[tuple[int, Html]] = []
    """The matching lines of a file."""


async def shown(tx: Tx, scope: str, found: Paged[Any], query: str, here: str) -> list[Hit]:
    """The results of this scope; `here` is the path of the project, if only that is searched."""
    words = SearchedWords(query, whole=scope in ("blobs", "wiki_blobs", "commits"))
    match scope:
        case "issues":
            return [_issue(issue, words) for issue in decoded(found.items, Issue)]
        case "merge_requests":
            return [_request(request, words) for request in decoded(found.items, MergeRequest)]
        case "milestones":
            return await _milestones(tx, found.items, words)
        case "notes":
            return await _notes(tx, found.items, words)
        case "epics":
            return await _epics(tx, found.items, words)
        case "users":
            return [_user(user, words) for user in cast("Sequence[UserRef]", found.items)]
        case "commits":
            return [_commit(commit, words) for commit in cast("Sequence[Commit]", found.items)]
        case _:
            return [_file(blob, scope, words, here) for blob in cast("Sequence[FoundBlob]", found.items)]


def _user(user: UserRef, words: SearchedWords) -> Hit:
    return Hit(
        icon="user", tone="", title=words.marked(user.name), address=quoted(f"/{user.username}"),
        reference=f"@{user.username}",
    )  # fmt: skip


def _issue(issue: Issue, words: SearchedWords) -> Hit:
    path = urlsplit(issue.web_url).path
    return Hit(
        icon="circle-dot" if issue.state == "opened" else "circle-check", tone=_STATES[issue.state],
        title=words.marked(issue.title), address=path, reference=reference_at(path, "#"),
        excerpt=words.excerpt(issue.description or ""), author=issue.author,
        moment=issue.created_at,
    )  # fmt: skip


def _request(request: MergeRequest, words: SearchedWords) -> Hit:
    path = urlsplit(request.web_url).path
    return Hit(
        icon=_REQUEST_ICONS.get(request.state, "git-pull-request"), tone=_STATES.get(request.state, "open"),
        title=words.marked(request.title), address=path, reference=reference_at(path, "!"),
        excerpt=words.excerpt(request.description or ""), author=request.author, moment=request.created_at,
    )  # fmt: skip


async def _milestones(tx: Tx, found: Sequence[Milestone], words: SearchedWords) -> list[Hit]:
    lines = await milestones.by_id(tx, [milestone.id for milestone in found])
    return [
        Hit(
            icon="milestone", tone=_STATES[line.state], title=words.marked(milestone.title), address=line.address,
            reference=line.path, excerpt=words.excerpt(milestone.description or ""), moment=milestone.created_at,
        )
        for milestone in found
        if (line := lines.get(milestone.id))
    ]  # fmt: skip


async def _notes(tx: Tx, found: Sequence[Note], words: SearchedWords) -> list[Hit]:
    wanted: dict[str, list[int]] = {}
    for note in found:
        wanted.setdefault(_KINDS[note.noteable_type], []).append(note.noteable_id or 0)
    lines = await read_lines(tx, wanted)
    return [
        Hit(
            icon="message-square", tone="", title=words.marked(line.title),
            address=f"{line.address}?note={note.id}#note_{note.id}",
            reference=line.reference, excerpt=words.excerpt(note.body), author=note.author, moment=note.created_at,
        )
        for note in found
        if (line := lines.get((_KINDS[note.noteable_type], note.noteable_id or 0)))
    ]  # fmt: skip


async def _epics(tx: Tx, found: Sequence[Epic], words: SearchedWords) -> list[Hit]:
    lines: dict[tuple[str, int], NoteableLine] = await read_lines(tx, {"epic": [epic.id for epic in found]})
    return [
        Hit(
            icon="layers", tone="", title=words.marked(epic.title), address=line.address, reference=line.reference,
            excerpt=words.excerpt(epic.description or ""), author=epic.author,
        )
        for epic in found
        if (line := lines.get(("epic", epic.id)))
    ]  # fmt: skip


def _commit(commit: Commit, words: SearchedWords) -> Hit:
    body = commit.message.partition("\n")[2].strip()
    return Hit(
        icon="git-commit-horizontal", tone="", title=words.marked(commit.title), address=urlsplit(commit.web_url).path,
        reference=commit.short_id, excerpt=words.excerpt(body), author_name=commit.author_name,
        moment=commit.committed_date,
    )  # fmt: skip


def _file(blob: FoundBlob, scope: str, words: SearchedWords, here: str) -> Hit:
    slug = slug_at(blob.filename) if scope == "wiki_blobs" else None
    page = f"/wikis/{address_of(slug)}" if slug is not None else f"/blob/{blob.ref}/{blob.filename}"
    texts = blob.data.removesuffix("\n").split("\n") if blob.data else []
    lines = [(number, words.marked(text)) for number, text in enumerate(texts, blob.startline)]
    return Hit("file-text", "", words.marked(blob.filename), quoted(f"{here}{page}"), "", lines=lines)
