"""Boards and their lists as the API shows them."""

from collections.abc import Sequence
from typing import Annotated, LiteralString

import msgspec
from msgspec import UNSET, UnsetType

from mujina.instance.editions.rules import has_feature
from mujina.kernel.db.entities import to_entity
from mujina.kernel.db.rows import Row, find_row
from mujina.kernel.db.sql.selection import Selection, ascending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.lists.pages import load_rows
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.urls import web
from mujina.planning.boards.rules import boards_of
from mujina.workspaces.owners.rules import Owner
from mujina.workspaces.projects.views.basics import BasicProject, basic_projects


class LabelRef(msgspec.Struct):
    id: int
    name: Annotated[str, "l.title"]
    color: str
    description: str | None


class LabelRefRow(Row, alias="l", of=LabelRef):
    """The label of a list."""


class BoardList(msgspec.Struct):
    id: int
    label: LabelRef
    position: int


class GroupRef(msgspec.Struct):
    id: int
    web_url: str
    name: str


class Board(msgspec.Struct):
    """Of a project or of a group: the other one is null."""

    id: int
    project: BasicProject | None
    group: GroupRef | None
    name: str
    lists: list[BoardList]
    milestone: None = None
    assignee: None = None
    labels: tuple[()] = ()
    weight: UnsetType | None = None


class BoardView(Row, alias="board", of=Board):
    id: int


class BoardListView(Row, alias="list"):
    board_id: int
    id: int
    # The rank among the lists of the board: stored positions have gaps where lists were deleted.
    position: Annotated[
        int,
        """(SELECT count(*) FROM board_lists other WHERE other.board_id = list.board_id
            AND (other.position < list.position OR (other.position = list.position AND other.id < list.id)))""",
    ]
    label: LabelRefRow

    def shown(self) -> BoardList:
        return BoardList(self.id, to_entity(LabelRef, self.label), self.position)


SOURCE: LiteralString = "board_lists list JOIN labels l ON l.id = list.label_id"


async def load_page(tx: Tx, actor: Actor, owner: Owner, page: Page) -> Paged[Board]:
    """One page, the oldest first."""
    rows = await load_rows(tx, BoardView, boards_of(owner), ascending("board.id"), page)
    return rows.with_items(await _with_lists(tx, actor, owner, rows.items))


async def load_one(tx: Tx, actor: Actor, owner: Owner, board_id: int) -> Board:
    row = await find_row(tx, BoardView, Selection("boards board", "board.id = :id", id=board_id), "Board")
    [shown] = await _with_lists(tx, actor, owner, [row])
    return shown


async def lists(tx: Tx, board_id: int) -> list[BoardList]:
    return (await _lists(tx, [board_id])).get(board_id, [])


async def load_list(tx: Tx, list_id: int) -> BoardList:
    return (await find_row(tx, BoardListView, Selection(SOURCE, "list.id = :id", id=list_id), "List")).shown()


async def _with_lists(tx: Tx, actor: Actor, owner: Owner, rows: Sequence[BoardView]) -> list[Board]:
    project = (await basic_projects(tx, actor, [owner.project_id])).get(owner.project_id) if owner.project_id else None
    group = await _group(tx, owner.group_id) if owner.group_id else None
    lists = await _lists(tx, [row.id for row in rows])
    weight = None if has_feature("issue_weights") else UNSET
    shown = {"project": project, "group": group, "weight": weight}
    return [to_entity(Board, row, lists=lists.get(row.id, []), **shown) for row in rows]


async def _group(tx: Tx, group_id: int) -> GroupRef | None:
    row = await tx.row(
        tuple[str, str],
        "SELECT n.name, r.path FROM namespaces n JOIN routes r ON r.namespace_id = n.id WHERE n.id = :id",
        id=group_id,
    )
    return GroupRef(group_id, web(f"/groups/{row[1]}"), row[0]) if row else None


async def _lists(tx: Tx, board_ids: list[int]) -> dict[int, list[BoardList]]:
    found: dict[int, list[BoardList]] = {}
    for row in await tx.rows(
        BoardListView,
        f"SELECT {BoardListView.columns} FROM {SOURCE} WHERE list.board_id IN :ids ORDER BY list.position, list.id",
        ids=board_ids,
    ):
        found.setdefault(row.board_id, []).append(row.shown())
    return found
