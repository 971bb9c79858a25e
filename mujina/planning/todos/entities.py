"""What is shown of a todo."""

from typing import LiteralString

import msgspec

from mujina.accounts.users.entities import REF, RefRow, UserRef
from mujina.kernel import errors
from mujina.kernel.db.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.paging import Page
from mujina.planning.issues import entities as issues
from mujina.planning.todos.filters import KINDS

_TYPES = {kind: type for type, kind in KINDS.items()}


class ProjectName(msgspec.Struct):
    id: int
    name: str
    name_with_namespace: str
    path: str
    path_with_namespace: str


class Todo(msgspec.Struct):
    id: int
    project: ProjectName
    author: UserRef
    action_name: str
    target_type: str
    target: issues.Issue
    target_url: str
    body: str
    state: str
    created_at: str


class ShownRow(RefRow):
    """The columns of `COLUMNS`."""

    todo_id: int
    action: str
    target_kind: str
    target_id: int
    note_id: int | None
    note_body: str | None
    state_now: str
    created_at: str
    project_id: int
    project_name: str
    namespace_name: str
    project_path: str
    full_path: str


COLUMNS: LiteralString = f"""{REF}, todo.id, todo.action, todo.target_kind, todo.target_id, todo.note_id, note.body,
    todo.state, todo.created_at, p.id, p.name, n.full_name, p.path, r.path"""

SOURCE: LiteralString = """todos todo JOIN users u ON u.id = todo.author_id JOIN projects p ON p.id = todo.project_id
    JOIN namespaces n ON n.id = p.namespace_id JOIN routes r ON r.project_id = p.id
    LEFT JOIN notes note ON note.id = todo.note_id"""


async def listed(tx: Tx, chosen: Selection, page: Page) -> list[Todo]:
    """One page, the newest first."""
    rows = await tx.rows(
        ShownRow,
        f"""
        SELECT {COLUMNS} FROM {SOURCE}
        WHERE todo.id IN (SELECT todo.id {chosen.text} ORDER BY todo.id DESC LIMIT :limit OFFSET :offset)
        ORDER BY todo.id DESC
        """,
        **chosen.bound,
        **page.bound,
    )
    return await _dress(tx, rows)


async def single(tx: Tx, todo_id: int) -> Todo:
    """One todo, whole."""
    rows = await tx.rows(ShownRow, f"SELECT {COLUMNS} FROM {SOURCE} WHERE todo.id = :id", id=todo_id)
    shown = await _dress(tx, rows)
    if not shown:
        raise errors.not_found("Todo")
    return shown[0]


async def _dress(tx: Tx, rows: list[ShownRow]) -> list[Todo]:
    """Each with its target, however many in a few statements; one whose target is just gone is left out."""
    targets = await issues.with_votes(tx, [row.target_id for row in rows if row.target_kind == "issue"])
    return [_shown(row, targets[row.target_id]) for row in rows if row.target_id in targets]


def _shown(row: ShownRow, target: issues.Issue) -> Todo:
    project = ProjectName(
        row.project_id, row.project_name, f"{row.namespace_name} / {row.project_name}", row.project_path, row.full_path
    )
    anchor = "" if row.note_id is None else f"#note_{row.note_id}"
    return Todo(
        row.todo_id, project, row.shown(), row.action, _TYPES[row.target_kind], target, target.web_url + anchor,
        row.note_body or target.title, row.state_now, row.created_at,
    )  # fmt: skip
