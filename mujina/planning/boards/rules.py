"""The rules of boards, and the only ways to find a board and its lists."""

from typing import Final

from mujina.kernel import errors
from mujina.kernel.db.rows import Row, find_row
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import Actor
from mujina.workspaces.groups.rules import ADMIN_GROUP_LABEL, READ_GROUP, find_group
from mujina.workspaces.owners.rules import READ_OWNER, Owner, OwnerKind, OwnerRule
from mujina.workspaces.projects.rules import ADMIN_LABEL, ADMIN_PROJECT, READ_PROJECT, find_project

ADMIN_BOARD = ADMIN_PROJECT
ADMIN_LIST = READ_PROJECT & ADMIN_LABEL
"""A list stands for a label, so the right to change labels is required."""
ADMIN_GROUP_BOARD = READ_GROUP & ADMIN_GROUP_LABEL
ADMIN_BOARDS: Final[OwnerRule] = {"project": ADMIN_BOARD, "group": ADMIN_GROUP_BOARD}
ADMIN_LISTS: Final[OwnerRule] = {"project": ADMIN_LIST, "group": ADMIN_GROUP_BOARD}


class BoardRow(Row, alias="board"):
    id: int
    name: str
    updated_at: str


class BoardListRow(Row, alias="list"):
    id: int
    updated_at: str


class BoardOwner(Owner, frozen=True):
    """A project or group that has boards."""

    issues_enabled: bool = True
    """A project without issues shows no boards."""


async def find_board_owner(
    tx: Tx, actor: Actor, kind: OwnerKind, ref: Ref, *, to: OwnerRule = READ_OWNER
) -> BoardOwner:
    """The project or group, if the actor may do this with its boards."""
    if kind == "group":
        group = await find_group(tx, actor, ref, to=to[kind])
        return BoardOwner(kind, group.id, group.id)
    project = await find_project(tx, actor, ref, to=to[kind])
    return BoardOwner(kind, project.id, project.namespace_id, project.issues_enabled)


def boards_of(owner: Owner) -> Selection:
    return Selection("boards board", "(board.project_id = :project_id OR board.group_id = :group_id)", **owner.bound)


async def names_of(tx: Tx, owner: Owner) -> list[BoardRow]:
    """The boards of the owner, the oldest first; the menu of a page has room for a hundred."""
    selection = boards_of(owner)
    return await tx.rows(
        BoardRow, f"SELECT {BoardRow.columns} {selection.text} ORDER BY board.id LIMIT 100", **selection.bound
    )


async def find_board(tx: Tx, owner: BoardOwner, board_id: int) -> BoardRow:
    """The board, if it belongs to the owner and the owner shows boards."""
    if not owner.issues_enabled:
        raise errors.not_found("Board")
    return await find_row(tx, BoardRow, boards_of(owner).where("board.id = :id", id=board_id), "Board")


async def find_list(tx: Tx, board: BoardRow, list_id: int) -> BoardListRow:
    """The list, if it belongs to the board."""
    selection = Selection(
        "board_lists list", "list.id = :id AND list.board_id = :board_id", id=list_id, board_id=board.id
    )
    return await find_row(tx, BoardListRow, selection, "List")
