"""Creating comments on commits, which are notes."""

import msgspec

from mujina.code.commits.operations import CommitInfo, ResolvedCommit, differences
from mujina.kernel.db.rows import insert, insert_id, overwriting
from mujina.kernel.db.transaction import Tx
from mujina.kernel.permissions.actor import Actor
from mujina.planning.commit_comments.lines import Line, has_line
from mujina.planning.commit_comments.params import CreateCommitComment
from mujina.planning.noteables.kinds import Noteable
from mujina.planning.notes import operations as notes
from mujina.workspaces.projects.rules import ProjectRow


async def find_line(found: ResolvedCommit, change: CreateCommitComment) -> Line | None:
    """The line that the comment is about; None if it is about the whole commit."""
    if not change.path or not change.line:
        return None
    line = Line(change.path, change.line, change.line_type)
    # Compat: for a line that the commit did not change, the comment is about the whole commit.
    return line if has_line((await differences(found))[0], line) else None


async def create(tx: Tx, actor: Actor, project: ProjectRow, commit: CommitInfo, body: str, line: Line | None) -> int:
    """A note on the commit, and on one of its changed lines if one is named."""
    note_id = (await notes.create(tx, actor, await _noteable(tx, project, commit), body)).id
    if line is not None:
        await insert(tx, "commented_lines", note_id=note_id, **msgspec.structs.asdict(line))
    return note_id


async def _noteable(tx: Tx, project: ProjectRow, commit: CommitInfo) -> Noteable:
    commit_id = await insert_id(
        tx, "commented_commits", overwriting("project_id, sha", "title"), project_id=project.id, sha=commit.id,
        title=commit.title,
    )  # fmt: skip
    return Noteable(
        kind="commit", type="Commit", id=commit_id, iid=None, project_id=project.id, path=project.full_path,
        author_id=None, dated=project.owned, moderated=project.managed, project_active_at=project.last_activity_at,
    )  # fmt: skip
