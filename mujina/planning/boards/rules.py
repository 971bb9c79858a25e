"""Who may see and change boards, and the only ways to find a board and its lists."""

from mujina.kernel import errors
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx
from mujina.workspaces.projects.rules import ADMIN_LABEL, ADMIN_PROJECT, READ_PROJECT

ADMIN_BOARD = ADMIN_PROJECT
ADMIN_LIST = READ_PROJECT & ADMIN_LABEL
"""A list stands for a label, so the right to change labels is required."""


class BoardRow(Row, alias="board"):
    id: int
    project_id: int
    name: str
    updated_at: str


class BoardListRow(Row, alias="list"):
    id: int
    updated_at: str


async def find_board(tx: Tx, project_id: int, board_id: int) -> BoardRow:
    """The board, if it belongs to the project."""
    board = await tx.row(
        BoardRow,
        f"""SELECT {BoardRow.columns} FROM boards board
            WHERE board.id = :id AND board.project_id = :project_id""",
        id=board_id,
        project_id=project_id,
    )
    if board is None:
        raise errors.not_found("Board")
    return board


async def find_list(tx: Tx, board: BoardRow, list_id: int) -> BoardListRow:
    """The list, if it belongs to the board."""
    found = await tx.row(
        BoardListRow,
        f"""SELECT {BoardListRow.columns} FROM board_lists list
            WHERE list.id = :id AND list.board_id = :board_id""",
        id=list_id,
        board_id=board.id,
    )
    if found is None:
        raise errors.not_found("List")
    return found
