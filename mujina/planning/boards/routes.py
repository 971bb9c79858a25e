"""Issue boards of projects and groups."""

from typing import Literal

from mujina.kernel import errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import delete, get, post, put
from mujina.kernel.permissions.rules import Rule
from mujina.planning.boards import entities, operations
from mujina.planning.boards.entities import Board, BoardList
from mujina.planning.boards.params import CreateBoard, CreateBoardList, EditBoard, MoveBoardList
from mujina.planning.boards.rules import (
    ADMIN_BOARD,
    ADMIN_GROUP_BOARD,
    ADMIN_LIST,
    BoardOwner,
    find_board,
    find_group_boards,
    find_list,
    find_project_boards,
)
from mujina.workspaces.groups.rules import READ_GROUP
from mujina.workspaces.projects.rules import READ_PROJECT

Kind = Literal["project", "group"]
Purpose = Literal["read", "change boards", "change lists"]


def _paths(suffix: str = "") -> dict[str, str]:
    return {"project": f"/projects/:id/boards{suffix}", "group": f"/groups/:id/boards{suffix}"}


@get(**_paths())
async def list_boards(call: Call, kind: Kind, id: Ref, page: Page) -> Paged[Board]:
    async with call.reading() as tx:
        owner = await _owner(tx, call, kind, id)
        return await entities.listed(tx, call.actor, owner, page) if owner.issues_enabled else page.of([], 0)


@get(**_paths("/:board_id"))
async def show_board(call: Call, kind: Kind, id: Ref, board_id: int) -> Board:
    async with call.reading() as tx:
        owner = await _owner(tx, call, kind, id)
        board = await find_board(tx, owner, board_id)
        return await entities.single(tx, call.actor, owner, board.id)


@post(**_paths())
async def create_board(call: Call, kind: Kind, id: Ref, change: CreateBoard) -> Board:
    async with call.transaction() as tx:
        owner = await _owner(tx, call, kind, id, to="change boards")
        if not owner.issues_enabled:
            raise errors.not_found("Board")
        board_id = await operations.create(tx, call.actor, owner, change.name)
        return await entities.single(tx, call.actor, owner, board_id)


@put(**_paths("/:board_id"))
async def edit_board(call: Call, kind: Kind, id: Ref, board_id: int, change: EditBoard) -> Board:
    async with call.transaction() as tx:
        owner = await _owner(tx, call, kind, id, to="change boards")
        board = await find_board(tx, owner, board_id)
        await operations.rename(tx, call.actor, owner, board, change.name)
        return await entities.single(tx, call.actor, owner, board.id)


@delete(**_paths("/:board_id"))
async def delete_board(call: Call, kind: Kind, id: Ref, board_id: int) -> None:
    async with call.transaction() as tx:
        owner = await _owner(tx, call, kind, id, to="change boards")
        board = await find_board(tx, owner, board_id)
        call.unless_modified(board.updated_at)
        await operations.remove(tx, call.actor, owner, board)


@get(**_paths("/:board_id/lists"))
async def list_board_lists(call: Call, kind: Kind, id: Ref, board_id: int, page: Page) -> Paged[BoardList]:
    async with call.reading() as tx:
        board = await find_board(tx, await _owner(tx, call, kind, id), board_id)
        return page.cut(await entities.lists(tx, board.id))


@get(**_paths("/:board_id/lists/:list_id"))
async def show_board_list(call: Call, kind: Kind, id: Ref, board_id: int, list_id: int) -> BoardList:
    async with call.reading() as tx:
        board = await find_board(tx, await _owner(tx, call, kind, id), board_id)
        board_list = await find_list(tx, board, list_id)
        return await entities.single_list(tx, board_list.id)


@post(**_paths("/:board_id/lists"))
async def create_board_list(call: Call, kind: Kind, id: Ref, board_id: int, change: CreateBoardList) -> BoardList:
    async with call.transaction() as tx:
        owner = await _owner(tx, call, kind, id, to="change lists")
        board = await find_board(tx, owner, board_id)
        return await entities.single_list(tx, await operations.add_list(tx, board, owner, change.label_id))


@put(**_paths("/:board_id/lists/:list_id"))
async def move_board_list(
    call: Call, kind: Kind, id: Ref, board_id: int, list_id: int, change: MoveBoardList
) -> BoardList:
    async with call.transaction() as tx:
        board = await find_board(tx, await _owner(tx, call, kind, id, to="change lists"), board_id)
        board_list = await find_list(tx, board, list_id)
        await operations.move_list(tx, board, board_list, change.position)
        return await entities.single_list(tx, board_list.id)


@delete(**_paths("/:board_id/lists/:list_id"))
async def delete_board_list(call: Call, kind: Kind, id: Ref, board_id: int, list_id: int) -> None:
    async with call.transaction() as tx:
        board = await find_board(tx, await _owner(tx, call, kind, id, to="change lists"), board_id)
        board_list = await find_list(tx, board, list_id)
        call.unless_modified(board_list.updated_at)
        await operations.remove_list(tx, board_list)


_PROJECT_RULES: dict[Purpose, Rule] = {"read": READ_PROJECT, "change boards": ADMIN_BOARD, "change lists": ADMIN_LIST}
_GROUP_RULES: dict[Purpose, Rule] = {
    "read": READ_GROUP,
    "change boards": ADMIN_GROUP_BOARD,
    "change lists": ADMIN_GROUP_BOARD,
}


async def _owner(tx: Tx, call: Call, kind: Kind, ref: Ref, *, to: Purpose = "read") -> BoardOwner:
    """The project or group of the request, if the actor may do this with its boards."""
    if kind == "project":
        return await find_project_boards(tx, call.actor, ref, to=_PROJECT_RULES[to])
    return await find_group_boards(tx, call.actor, ref, to=_GROUP_RULES[to])
