"""Todos as the API shows them."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, LiteralString

import msgspec
from msgspec import UNSET, UnsetType

from mujina.accounts.paths.names import TITLE
from mujina.accounts.users.entities import RefRow, UserRef
from mujina.kernel import errors
from mujina.kernel.db.entities import Computed, to_entity
from mujina.kernel.db.rows import Row, find_row
from mujina.kernel.db.sql.selection import Selection, descending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.lists.pages import load_joined
from mujina.kernel.permissions.actor import Actor
from mujina.planning.noteables.kinds import noteable_kind
from mujina.planning.todos.rules import KINDS

_TYPES = {kind: type for type, kind in KINDS.items()}


class ProjectName(msgspec.Struct):
    id: int
    name: str
    name_with_namespace: Computed[str]
    path: str
    path_with_namespace: Annotated[str, "r.path"]


class Todo(msgspec.Struct):
    id: int
    project: ProjectName | UnsetType
    """Absent if the target belongs to a group."""
    author: UserRef
    action_name: Annotated[str, "todo.action"]
    target_type: Computed[str]
    target: Any
    """The issue or the merge request."""
    target_url: Computed[str]
    body: Computed[str]
    state: str
    created_at: str


class ProjectNameRow(Row, alias="p", of=ProjectName):
    name: str
    namespace: Annotated[str, TITLE]


class TodoView(Row, alias="todo", of=Todo):
    """A todo with its author (`u`), its project (`p`, `n`, `r`) and the note that caused it."""

    id: int
    project: ProjectNameRow | None
    author: RefRow
    action_name: Annotated[str, "todo.action"]
    state: str
    created_at: str
    target_kind: str
    target_id: int
    note_id: int | None
    note_body: Annotated[str | None, "note.body"]


SOURCE: LiteralString = """todos todo JOIN users u ON u.id = todo.author_id LEFT JOIN projects p ON p.id = todo.project_id
    LEFT JOIN namespaces n ON n.id = p.namespace_id LEFT JOIN routes r ON r.project_id = p.id
    LEFT JOIN notes note ON note.id = todo.note_id"""


async def load_page(tx: Tx, actor: Actor, selection: Selection, page: Page) -> Paged[Todo]:
    """One page, the newest first."""
    rows = await rows_of_page(tx, selection, page)
    return rows.with_items(await _with_targets(tx, actor, rows.items))


async def rows_of_page(tx: Tx, selection: Selection, page: Page) -> Paged[TodoView]:
    """The rows of one page, the newest first."""
    return await load_joined(tx, TodoView, SOURCE, "todo.id", selection, descending("todo.id"), page)


async def load_one(tx: Tx, actor: Actor, todo_id: int) -> Todo:
    row = await find_row(tx, TodoView, Selection(SOURCE, "todo.id = :id", id=todo_id), "Todo")
    shown = await _with_targets(tx, actor, [row])
    return errors.or_not_found(shown[0] if shown else None, "Todo")  # its target was deleted meanwhile


async def _with_targets(tx: Tx, actor: Actor, rows: Sequence[TodoView]) -> list[Todo]:
    """The todos of these rows; one whose target was deleted in the meantime is left out."""
    ids: dict[str, list[int]] = {}
    for row in rows:
        ids.setdefault(row.target_kind, []).append(row.target_id)
    targets: dict[str, Mapping[int, Any]] = {}
    for name, target_ids in ids.items():
        kind = noteable_kind(tx.product, name)
        targets[name] = {} if kind is None or kind.targets is None else await kind.targets(tx, actor, target_ids)
    return [
        _to_entity(row, targets[row.target_kind][row.target_id])
        for row in rows
        if row.target_id in targets[row.target_kind]
    ]


def _to_entity(row: TodoView, target: Any) -> Todo:
    project: ProjectName | UnsetType = UNSET
    if row.project is not None:
        path = f"{row.project.namespace} / {row.project.name}"
        project = to_entity(ProjectName, row.project, name_with_namespace=path)
    anchor = "" if row.note_id is None else f"#note_{row.note_id}"
    return to_entity(
        Todo, row, project=project, author=row.author.shown(), target_type=_TYPES[row.target_kind], target=target,
        target_url=target.web_url + anchor, body=row.note_body or target.title,
    )  # fmt: skip
