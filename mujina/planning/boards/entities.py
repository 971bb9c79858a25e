"""Boards and their lists as the API shows them."""

from typing import Annotated, LiteralString

import msgspec

from mujina.kernel import errors
from mujina.kernel.db.rows import Row
from mujina.kernel.db.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.paging import Page
from mujina.workspaces.projects.basics import SimpleProject, simple_projects


class LabelRef(msgspec.Struct):
    id: int
    name: str
    color: str
    description: str | None


class BoardList(msgspec.Struct):
    id: int
    label: LabelRef
    position: int


class Board(msgspec.Struct):
    id: int
    project: SimpleProject
    name: str
    lists: list[BoardList]
    milestone: None = None
    assignee: None = None
    labels: tuple[()] = ()
    weight: None = None


class BoardListView(Row, alias="list"):
    """A list with its label (`l`)."""

    board_id: int
    id: int
    # The rank among the lists of the board: stored positions have gaps where lists were deleted.
    position: Annotated[
        int,
        """(SELECT count(*) FROM board_lists other WHERE other.board_id = list.board_id
            AND (other.position < list.position OR (other.position = list.position AND other.id < list.id)))""",
    ]
    label_id: Annotated[int, "l.id"]
    title: Annotated[str, "l.title"]
    color: Annotated[str, "l.color"]
    description: Annotated[str | None, "l.description"]

    def shown(self) -> BoardList:
        return BoardList(self.id, LabelRef(self.label_id, self.title, self.color, self.description), self.position)


SOURCE: LiteralString = "board_lists list JOIN labels l ON l.id = list.label_id"


def of_project(project_id: int) -> Selection:
    return Selection("boards board", "board.project_id = :project_id", project_id=project_id)


async def listed(tx: Tx, project_id: int, page: Page) -> list[Board]:
    """One page, the oldest first."""
    chosen = of_project(project_id)
    rows = await tx.rows(
        tuple[int, str],
        f"SELECT board.id, board.name {chosen.text} ORDER BY board.id LIMIT :limit OFFSET :offset",
        **chosen.bound,
        **page.bound,
    )
    return await _with_lists(tx, project_id, rows)


async def single(tx: Tx, project_id: int, board_id: int) -> Board:
    rows = await tx.rows(
        tuple[int, str], "SELECT board.id, board.name FROM boards board WHERE board.id = :id", id=board_id
    )
    shown = await _with_lists(tx, project_id, rows)
    if not shown:
        raise errors.not_found("Board")
    return shown[0]


async def lists(tx: Tx, board_id: int) -> list[BoardList]:
    return (await _lists(tx, [board_id])).get(board_id, [])


async def single_list(tx: Tx, list_id: int) -> BoardList:
    row = await tx.row(BoardListView, f"SELECT {BoardListView.columns} FROM {SOURCE} WHERE list.id = :id", id=list_id)
    if row is None:
        raise errors.not_found("List")
    return row.shown()


async def _with_lists(tx: Tx, project_id: int, rows: list[tuple[int, str]]) -> list[Board]:
    projects = await simple_projects(tx, [project_id])
    lists = await _lists(tx, [id_ for id_, _ in rows])
    return [Board(id_, project, name, lists.get(id_, [])) for id_, name in rows for project in projects]


async def _lists(tx: Tx, board_ids: list[int]) -> dict[int, list[BoardList]]:
    found: dict[int, list[BoardList]] = {}
    for row in await tx.rows(
        BoardListView,
        f"SELECT {BoardListView.columns} FROM {SOURCE} WHERE list.board_id IN :ids ORDER BY list.position, list.id",
        ids=board_ids,
    ):
        found.setdefault(row.board_id, []).append(row.shown())
    return found
