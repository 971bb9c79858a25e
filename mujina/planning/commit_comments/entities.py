"""What is shown of a comment on a commit."""

from typing import LiteralString

import msgspec

from mujina.accounts.users.entities import REF, RefRow, UserRef
from mujina.kernel.db.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.paging import Page, Paged
from mujina.planning.commit_comments.lines import Side


class Comment(msgspec.Struct):
    note: str
    path: str | None
    line: int | None
    line_type: Side | None
    author: UserRef
    created_at: str


class _Row(RefRow):
    body: str
    path: str | None
    line: int | None
    line_type: Side | None
    written_at: str

    def comment(self) -> Comment:
        return Comment(self.body, self.path, self.line, self.line_type, self.shown(), self.written_at)


_SHOWN: LiteralString = f"""
    SELECT {REF}, note.body, at.path, at.line, at.line_type, note.created_at FROM notes note
    JOIN users u ON u.id = note.author_id LEFT JOIN commented_lines at ON at.note_id = note.id"""


async def listed(tx: Tx, project_id: int, sha: str, page: Page) -> Paged:
    """One page of what was said about the commit, the oldest first."""
    chosen = Selection(
        "notes note JOIN commented_commits c ON c.id = note.noteable_id",
        "note.noteable_kind = 'commit' AND c.project_id = :project_id AND c.sha = :sha",
        project_id=project_id,
        sha=sha,
    )
    rows = await tx.rows(
        _Row,
        f"""{_SHOWN} WHERE note.id IN (SELECT note.id {chosen.text} ORDER BY note.id LIMIT :limit OFFSET :offset)
            ORDER BY note.id""",
        **chosen.bound,
        **page.bound,
    )
    return page.of([row.comment() for row in rows], await chosen.total(tx))


async def single(tx: Tx, note_id: int) -> Comment:
    """One comment, just written."""
    row = await tx.row(_Row, f"{_SHOWN} WHERE note.id = :id", id=note_id)
    assert row is not None
    return row.comment()
