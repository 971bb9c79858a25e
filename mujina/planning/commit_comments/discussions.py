"""Discussions on commits as the API shows them: the comments with their replies and lines."""

from collections.abc import Sequence

from mujina.code.commits.operations import CommitInfo
from mujina.code.pushes.changes import ZERO
from mujina.kernel import errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.permissions.actor import Actor
from mujina.planning.commit_comments.lines import Line, Side
from mujina.planning.discussions import entities
from mujina.planning.discussions.entities import Discussion
from mujina.planning.discussions.positions import TextPosition
from mujina.planning.noteables.kinds import Noteable
from mujina.planning.notes import filters
from mujina.planning.notes.rows import Note


async def load_page(tx: Tx, actor: Actor, noteable: Noteable, commit: CommitInfo, page: Page) -> Paged[Discussion]:
    """One page, the oldest first."""
    selection = await filters.about(tx, actor, noteable)
    found = await entities.load_page(tx, noteable, selection, page)
    await _add_lines(tx, commit, found.items)
    return found


async def load_one(tx: Tx, actor: Actor, noteable: Noteable, commit: CommitInfo, discussion_id: str) -> Discussion:
    """The discussion; 404 if the actor may read none of its notes."""
    found = await entities.find_discussion(tx, actor, noteable, discussion_id)
    await _add_lines(tx, commit, [found])
    return found


async def load_note(
    tx: Tx, actor: Actor, noteable: Noteable, commit: CommitInfo, discussion_id: str, note_id: int
) -> Note:
    """The note of the discussion; 404 if it has none of this id that the actor may read."""
    discussion = await load_one(tx, actor, noteable, commit, discussion_id)
    return errors.or_not_found(next((note for note in discussion.notes if note.id == note_id), None), "Note")


async def find_discussed_line(tx: Tx, actor: Actor, noteable: Noteable, discussion_id: str) -> Line | None:
    """The line that the discussion is about; None if it is about the whole commit."""
    discussion = await entities.find_discussion(tx, actor, noteable, discussion_id)
    return (await lines_of(tx, [discussion.notes[0].id])).get(discussion.notes[0].id)


async def _add_lines(tx: Tx, commit: CommitInfo, discussions: Sequence[Discussion]) -> None:
    lines = await lines_of(tx, [note.id for discussion in discussions for note in discussion.notes])
    for discussion in discussions:
        for note in discussion.notes:
            note.noteable_id, note.resolvable = None, False
            note.type = None if discussion.individual_note else "DiscussionNote"
            if line := lines.get(note.id):
                note.type, note.position = "DiffNote", _position(commit, line)


async def lines_of(tx: Tx, note_ids: Sequence[int]) -> dict[int, Line]:
    """The lines that these notes are about, by their ids; a note about the whole commit is left out."""
    rows = await tx.rows(
        tuple[int, str, int, Side],
        "SELECT at.note_id, at.path, at.line, at.line_type FROM commented_lines at WHERE at.note_id IN :ids",
        ids=list(note_ids),
    )
    return {note_id: Line(path, line, line_type) for note_id, path, line, line_type in rows}


def _position(commit: CommitInfo, line: Line) -> TextPosition:
    before, new = commit.parents[0] if commit.parents else ZERO, line.line_type == "new"
    return TextPosition(
        base_sha=before, start_sha=before, head_sha=commit.id, old_path=line.path, new_path=line.path,
        old_line=None if new else line.line, new_line=line.line if new else None,
    )  # fmt: skip
