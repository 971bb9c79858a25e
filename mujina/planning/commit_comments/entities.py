"""Comments on commits as the API shows them."""

from typing import Annotated, LiteralString

import msgspec

from mujina.accounts.users.entities import RefRow, UserRef
from mujina.kernel.db.entities import to_entity
from mujina.kernel.db.rows import Row
from mujina.kernel.db.sql.selection import Selection, ascending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.lists.pages import load_joined
from mujina.kernel.permissions.actor import Actor
from mujina.planning.commit_comments.lines import Side
from mujina.workspaces.projects.rules import READ_CODE


class CommitComment(msgspec.Struct):
    note: Annotated[str, "note.body"]
    path: Annotated[str | None, "at.path"]
    line: Annotated[int | None, "at.line"]
    line_type: Annotated[Side | None, "at.line_type"]
    author: UserRef
    created_at: str


class CommitCommentView(Row, alias="note", of=CommitComment):
    """A note on a commit with its author (`u`) and its line (`at`)."""

    id: int
    author: RefRow

    def comment(self) -> CommitComment:
        return to_entity(CommitComment, self, author=self.author.shown())


_SOURCE: LiteralString = """notes note JOIN users u ON u.id = note.author_id
    LEFT JOIN commented_lines at ON at.note_id = note.id"""
_SELECT: LiteralString = f"SELECT {CommitCommentView.columns} FROM {_SOURCE}"


async def load_page(tx: Tx, project_id: int, sha: str, page: Page) -> Paged[CommitComment]:
    """One page, the oldest first."""
    selection = Selection(
        "notes note JOIN commented_commits c ON c.id = note.noteable_id",
        "note.noteable_kind = 'commit' AND c.project_id = :project_id AND c.sha = :sha",
        project_id=project_id,
        sha=sha,
    )
    rows = await load_joined(tx, CommitCommentView, _SOURCE, "note.id", selection, ascending("note.id"), page)
    return rows.map(CommitCommentView.comment)


async def load_one(tx: Tx, note_id: int) -> CommitComment:
    """One comment, which the same transaction created."""
    [row] = await tx.rows(CommitCommentView, f"{_SELECT} WHERE note.id = :id", id=note_id)
    return row.comment()


class CommentOnCommit(msgspec.Struct, frozen=True):
    """A comment with the commit that it is on, and the path of the project."""

    id: int
    comment: CommitComment
    sha: str
    title: str
    full_path: str


class _OnCommitView(CommitCommentView):
    sha: Annotated[str, "c.sha"]
    title: Annotated[str, "c.title"]
    full_path: Annotated[str, "r.path"]


async def on_commits(
    tx: Tx, actor: Actor, project_ids: list[int], shas: list[str], limit: int
) -> list[CommentOnCommit]:
    """The oldest comments on commits of these projects, as far as the actor may read their code."""
    rows = await tx.rows(
        _OnCommitView,
        f"""SELECT {_OnCommitView.columns} FROM commented_commits c
            JOIN notes note ON note.noteable_kind = 'commit' AND note.noteable_id = c.id
            JOIN users u ON u.id = note.author_id LEFT JOIN commented_lines at ON at.note_id = note.id
            JOIN projects p ON p.id = c.project_id AND p.deleted_at IS NULL JOIN routes r ON r.project_id = p.id
            WHERE c.project_id IN :project_ids AND c.sha IN :shas AND {READ_CODE.for_scan} ORDER BY note.id LIMIT :limit""",
        project_ids=project_ids, shas=shas, limit=limit, **actor.bound,
    )  # fmt: skip
    return [CommentOnCommit(row.id, row.comment(), row.sha, row.title, row.full_path) for row in rows]
