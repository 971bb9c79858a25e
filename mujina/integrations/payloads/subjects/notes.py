"""Payloads about notes on issues, merge requests, commits and snippets of projects."""

from typing import Annotated, Any, LiteralString

import msgspec

from mujina.code.snippets.rules import SnippetRow
from mujina.integrations.payloads import objects
from mujina.integrations.payloads.events import HookEventRow, Payload, for_project
from mujina.integrations.payloads.history import history_of
from mujina.integrations.payloads.objects import CommentedLine, Facts, Object, ProjectFacts
from mujina.integrations.payloads.subjects.issues import IssueSnapshot, issue_attributes
from mujina.integrations.payloads.subjects.merge_requests import MergeRequestSnapshot, merge_request_attributes
from mujina.kernel.db.rows import Row


class SnippetSnapshot(SnippetRow):
    created_at: str


class NoteSnapshot(Row, alias="note"):
    """A note with what it is on: an issue, a merge request, a snippet or a commit."""

    id: int
    body: str
    author_id: int
    project_id: int | None
    noteable_kind: str
    noteable_id: int
    discussion_id: str
    individual: bool
    created_at: str
    updated_at: str
    sha: Annotated[str | None, "c.sha"]
    issue: Annotated[
        IssueSnapshot | None, f"CASE WHEN i.id IS NOT NULL THEN json_build_array({IssueSnapshot.columns}) END"
    ]
    merge_request: Annotated[
        MergeRequestSnapshot | None,
        f"CASE WHEN mr.id IS NOT NULL THEN json_build_array({MergeRequestSnapshot.columns}) END",
    ]
    snippet: Annotated[
        SnippetSnapshot | None, f"CASE WHEN s.id IS NOT NULL THEN json_build_array({SnippetSnapshot.columns}) END"
    ]


NOTES: LiteralString = """notes note
    LEFT JOIN issues i ON note.noteable_kind = 'issue' AND i.id = note.noteable_id
    LEFT JOIN merge_requests mr ON note.noteable_kind = 'merge_request' AND mr.id = note.noteable_id
    LEFT JOIN snippets s ON note.noteable_kind = 'snippet' AND s.id = note.noteable_id
    LEFT JOIN commented_commits c ON note.noteable_kind = 'commit' AND c.id = note.noteable_id"""

TYPES = {"issue": "Issue", "merge_request": "MergeRequest", "snippet": "Snippet", "commit": "Commit"}


async def build_note(facts: Facts, event: HookEventRow) -> list[Payload]:
    """The payloads about a new comment. Notes on epics and on personal snippets are not announced."""
    note = msgspec.json.decode(event.snapshot, type=NoteSnapshot, strict=False)
    project = await facts.project(note.project_id) if note.project_id is not None else None
    if project is None or note.noteable_kind not in TYPES:
        return []
    name, about, page, confidential = await _noteable(facts, event, note, project)
    body: dict[str, Any] = {
        "object_kind": "note",
        "user": objects.user(await facts.user(note.author_id)),
        "project_id": project.id,
        "project": objects.project(project),
        "object_attributes": _attributes(note, f"{page}#note_{note.id}") | await _position(facts, note, project),
        "repository": objects.repository(project),
        name: about,
    }
    return [for_project("confidential_note_events" if confidential else "note_events", body)]


async def _noteable(
    facts: Facts, event: HookEventRow, note: NoteSnapshot, project: ProjectFacts
) -> tuple[str, Object | None, str, bool]:
    """The subject of the note: its name in the payload, the object, its page, and whether it is confidential."""
    if note.issue is not None:
        issue = note.issue
        past = await history_of(facts.database, event, "issue", issue.id)
        attributes = issue_attributes(issue, project, past)
        return "issue", attributes, attributes["url"], issue.confidential
    if note.merge_request is not None:
        request = note.merge_request
        past = await history_of(facts.database, event, "merge_request", request.id)
        attributes = await merge_request_attributes(facts, request, project, past)
        return "merge_request", attributes, attributes["url"], False
    if note.snippet is not None:
        snippet = note.snippet
        return "snippet", _snippet(snippet), f"{project.web_url}/snippets/{snippet.id}", False
    return "commit", await facts.commit(project, note.sha), f"{project.web_url}/commit/{note.sha}", False


async def _position(facts: Facts, note: NoteSnapshot, project: ProjectFacts) -> Object:
    """Where in a diff the note is; nothing if it is about the whole."""
    if note.sha is not None:
        async with facts.database.reading() as tx:
            line = await tx.row(
                tuple[str, int, str],
                "SELECT line.path, line.line, line.line_type FROM commented_lines line WHERE line.note_id = :id",
                id=note.id,
            )
        return {} if line is None else await facts.read_line(project, note.sha, CommentedLine(*line))
    if note.merge_request is None:
        return {}
    async with facts.database.reading() as tx:
        found = await tx.row(
            tuple[str, str, str | None],
            """SELECT at.position, at.original_position, at.line_code FROM diff_positions at
               WHERE at.discussion_id = :id""",
            id=note.discussion_id,
        )
    if found is None:
        return {}
    position, original, line_code = found
    return {
        "type": "DiffNote",
        "line_code": line_code,
        "position": msgspec.json.decode(position),
        "original_position": msgspec.json.decode(original),
    }


def _snippet(snippet: SnippetSnapshot) -> Object:
    return {
        "id": snippet.id,
        "title": snippet.title,
        "content": snippet.content,
        "description": snippet.description,
        "author_id": snippet.author_id,
        "project_id": snippet.project_id,
        "created_at": objects.time(snippet.created_at),
        "updated_at": objects.time(snippet.updated_at),
        "file_name": snippet.file_name,
        "type": "ProjectSnippet",
        "visibility_level": objects.visibility_level(snippet.visibility),
    }


def _attributes(note: NoteSnapshot, url: str) -> Object:
    on_commit = note.noteable_kind == "commit"
    return {
        "id": note.id,
        "note": note.body,
        "author_id": note.author_id,
        "project_id": note.project_id,
        "noteable_type": TYPES[note.noteable_kind],
        "noteable_id": None if on_commit else note.noteable_id,
        "commit_id": note.sha if on_commit else None,
        "created_at": objects.time(note.created_at),
        "updated_at": objects.time(note.updated_at),
        "system": False,
        "type": None if note.individual else "DiscussionNote",
        "discussion_id": note.discussion_id,
        **dict.fromkeys(
            (
                "attachment", "st_diff", "line_code", "position", "original_position", "change_position", "resolved_at",
                "resolved_by_id", "resolved_by_push", "updated_by_id",
            )
        ),
        "url": url,
    }  # fmt: skip
