"""Creating comments on commits, which are notes."""

import msgspec

from mujina.code.commits.operations import CommitInfo, ResolvedCommit, differences
from mujina.kernel import errors
from mujina.kernel.db.rows import insert, insert_id, overwriting
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.params import UNSET, Ref, Unset
from mujina.kernel.permissions.actor import Actor
from mujina.planning.commit_comments.discussions import find_discussed_line
from mujina.planning.commit_comments.lines import Line, has_line
from mujina.planning.commit_comments.params import RequestedLine
from mujina.planning.discussions.params import RequestedPosition
from mujina.planning.discussions.positions import INVALID_LINE, INVALID_POSITION
from mujina.planning.noteables.commits import RIGHTS, find_commented, noteable_of
from mujina.planning.noteables.kinds import Noteable, Purpose
from mujina.planning.notes import operations as notes
from mujina.planning.notes.rows import NoteView
from mujina.workspaces.projects.rules import find_project


async def find_line(found: ResolvedCommit, change: RequestedLine) -> Line | None:
    """The line that the comment is about; None if it is about the whole commit."""
    if not change.path or not change.line:
        return None
    line = Line(change.path, change.line, change.line_type)
    # Compat: for a line that the commit did not change, the comment is about the whole commit.
    return line if has_line((await differences(found))[0], line) else None


async def place(found: ResolvedCommit, requested: RequestedPosition | Unset | None) -> Line | None:
    """The line that the requested position names; 400 if the commit did not change it. None: no position is requested."""
    if not requested:
        return None
    if requested.type != "text" or not requested.complete or requested.head_sha != found.id:
        raise errors.invalid(INVALID_POSITION)
    if requested.new_line:
        line = Line(requested.new_path or requested.old_path, requested.new_line, "new")
    else:
        line = Line(requested.old_path or requested.new_path, requested.old_line or 0, "old")
    if not has_line((await differences(found))[0], line):
        raise errors.invalid(INVALID_LINE)
    return line


async def find_noteable(tx: Tx, actor: Actor, project_id: int, commit: CommitInfo, *, to: Purpose) -> Noteable:
    """The commit as what notes are on, if the actor may read the code or comment on it."""
    if to == "read":
        return await find_commented(tx, actor, Ref.of(project_id), commit.id, to)
    project = await find_project(tx, actor, Ref.of(project_id), to=RIGHTS[to])
    commit_id = await insert_id(
        tx, "commented_commits", overwriting("project_id, sha", "title"), project_id=project.id, sha=commit.id,
        title=commit.title,
    )  # fmt: skip
    return noteable_of(project, commit_id)


async def create(
    tx: Tx, actor: Actor, noteable: Noteable, body: str, line: Line | None, *, created_at: str | Unset = UNSET,
    discussion_id: str | None = None, individual: bool = True,
) -> NoteView:  # fmt: skip
    """A note on the commit, and on one of its changed lines if one is named."""
    note = await notes.create(
        tx, actor, noteable, body, created_at=created_at or None, discussion_id=discussion_id, individual=individual
    )
    if line is not None:
        await insert(tx, "commented_lines", note_id=note.id, **msgspec.structs.asdict(line))
    return note


async def reply(
    tx: Tx, actor: Actor, noteable: Noteable, discussion_id: str, body: str, *, created_at: str | Unset = UNSET
) -> NoteView:
    """A further note of the discussion, about the same line; 404 if there is no such discussion."""
    line = await find_discussed_line(tx, actor, noteable, discussion_id)
    note = await create(
        tx, actor, noteable, body, line, created_at=created_at, discussion_id=discussion_id, individual=False
    )
    await notes.open_discussion(tx, noteable, discussion_id)
    return note
