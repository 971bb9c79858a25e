"""Todos as pages list them: what each is about by its title, path and number, from two statements."""

import msgspec

from mujina.accounts.users.entities import UserRef
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.planning.noteables.kinds import NoteableLine, read_lines
from mujina.planning.todos.entities import TodoView, rows_of_page


class TodoLine(msgspec.Struct, frozen=True):
    """A todo with its target in few words."""

    id: int
    author: UserRef
    action: str
    target: NoteableLine
    address: str
    """The path of the page, and of the note on it."""
    body: str
    """The comment that caused it; empty if no comment did."""
    done: bool
    created_at: str


async def load_page(tx: Tx, selection: Selection, page: Page) -> Paged[TodoLine]:
    """One page, the newest first; a todo whose target was deleted in the meantime is left out."""
    rows = await rows_of_page(tx, selection, page)
    wanted: dict[str, list[int]] = {}
    for row in rows.items:
        wanted.setdefault(row.target_kind, []).append(row.target_id)
    targets = await read_lines(tx, wanted)
    found = [(row, targets.get((row.target_kind, row.target_id))) for row in rows.items]
    return rows.with_items([_line(row, target) for row, target in found if target])


def _line(row: TodoView, target: NoteableLine) -> TodoLine:
    anchor = "" if row.note_id is None else f"?note={row.note_id}#note_{row.note_id}"
    return TodoLine(
        id=row.id, author=row.author.shown(), action=row.action_name, target=target, address=f"{target.address}{anchor}",
        body=row.note_body or "", done=row.state == "done", created_at=row.created_at,
    )  # fmt: skip
