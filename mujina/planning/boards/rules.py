"""Who may see and arrange boards, and the only ways to get one and its lists."""

import msgspec

from mujina.kernel import errors
from mujina.kernel.db.transaction import Tx
from mujina.workspaces.projects.rules import ADMIN_LABEL, ADMIN_PROJECT, READ_PROJECT

ADMIN_BOARD = ADMIN_PROJECT
ADMIN_LIST = READ_PROJECT & ADMIN_LABEL
"""Lists stand for labels, and whoever arranges labels arranges them."""


class BoardRow(msgspec.Struct, array_like=True, frozen=True):
    id: int
    project_id: int
    name: str
    updated_at: str


class ListRow(msgspec.Struct, array_like=True, frozen=True):
    id: int
    board_id: int
    label_id: int
    position: int
    updated_at: str


async def find_board(tx: Tx, project_id: int, board_id: int) -> BoardRow:
    """The board, if it is one of the project's, which the caller has found."""
    board = await tx.row(
        BoardRow,
        """SELECT board.id, board.project_id, board.name, board.updated_at FROM boards board
           WHERE board.id = :id AND board.project_id = :project_id""",
        id=board_id,
        project_id=project_id,
    )
    if board is None:
        raise errors.not_found("Board")
    return board


async def find_list(tx: Tx, board: BoardRow, list_id: int) -> ListRow:
    """The list, if it stands on this board."""
    found = await tx.row(
        ListRow,
        """SELECT list.id, list.board_id, list.label_id, list.position, list.updated_at FROM board_lists list
           WHERE list.id = :id AND list.board_id = :board_id""",
        id=list_id,
        board_id=board.id,
    )
    if found is None:
        raise errors.not_found("List")
    return found
