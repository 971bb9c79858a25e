"""Issue boards of projects and groups."""

from mujina.kernel import errors
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import delete, get, post, put
from mujina.planning.boards import entities, operations
from mujina.planning.boards.entities import Board, BoardList
from mujina.planning.boards.params import CreateBoard, CreateBoardList, EditBoard, MoveBoardList
from mujina.planning.boards.rules import ADMIN_BOARDS, ADMIN_LISTS, find_board, find_board_owner, find_list
from mujina.workspaces.owners.rules import OwnerKind, owner_paths


@get(**owner_paths("/boards"))
async def list_boards(call: Call, kind: OwnerKind, id: Ref, page: Page) -> Paged[Board]:
    async with call.reading() as tx:
        owner = await find_board_owner(tx, call.actor, kind, id)
        return await entities.load_page(tx, call.actor, owner, page) if owner.issues_enabled else page.of([], 0)


@get(**owner_paths("/boards/:board_id"))
async def show_board(call: Call, kind: OwnerKind, id: Ref, board_id: int) -> Board:
    async with call.reading() as tx:
        owner = await find_board_owner(tx, call.actor, kind, id)
        board = await find_board(tx, owner, board_id)
        return await entities.load_one(tx, call.actor, owner, board.id)


@post(**owner_paths("/boards"))
async def create_board(call: Call, kind: OwnerKind, id: Ref, change: CreateBoard) -> Board:
    async with call.transaction() as tx:
        owner = await find_board_owner(tx, call.actor, kind, id, to=ADMIN_BOARDS)
        if not owner.issues_enabled:
            raise errors.not_found("Board")
        board_id = await operations.create(tx, call.actor, owner, change.name)
        return await entities.load_one(tx, call.actor, owner, board_id)


@put(**owner_paths("/boards/:board_id"))
async def edit_board(call: Call, kind: OwnerKind, id: Ref, board_id: int, change: EditBoard) -> Board:
    async with call.transaction() as tx:
        owner = await find_board_owner(tx, call.actor, kind, id, to=ADMIN_BOARDS)
        board = await find_board(tx, owner, board_id)
        await operations.rename(tx, call.actor, owner, board, change.name)
        return await entities.load_one(tx, call.actor, owner, board.id)


@delete(**owner_paths("/boards/:board_id"))
async def delete_board(call: Call, kind: OwnerKind, id: Ref, board_id: int) -> None:
    async with call.transaction() as tx:
        owner = await find_board_owner(tx, call.actor, kind, id, to=ADMIN_BOARDS)
        board = await find_board(tx, owner, board_id)
        call.unless_modified(board.updated_at)
        await operations.remove(tx, call.actor, owner, board)


@get(**owner_paths("/boards/:board_id/lists"))
async def list_board_lists(call: Call, kind: OwnerKind, id: Ref, board_id: int, page: Page) -> Paged[BoardList]:
    async with call.reading() as tx:
        board = await find_board(tx, await find_board_owner(tx, call.actor, kind, id), board_id)
        return page.cut(await entities.lists(tx, board.id))


@get(**owner_paths("/boards/:board_id/lists/:list_id"))
async def show_board_list(call: Call, kind: OwnerKind, id: Ref, board_id: int, list_id: int) -> BoardList:
    async with call.reading() as tx:
        board = await find_board(tx, await find_board_owner(tx, call.actor, kind, id), board_id)
        board_list = await find_list(tx, board, list_id)
        return await entities.load_list(tx, board_list.id)


@post(**owner_paths("/boards/:board_id/lists"))
async def create_board_list(call: Call, kind: OwnerKind, id: Ref, board_id: int, change: CreateBoardList) -> BoardList:
    async with call.transaction() as tx:
        owner = await find_board_owner(tx, call.actor, kind, id, to=ADMIN_LISTS)
        board = await find_board(tx, owner, board_id)
        return await entities.load_list(tx, await operations.add_list(tx, board, owner, change.label_id))


@put(**owner_paths("/boards/:board_id/lists/:list_id"))
async def move_board_list(
    call: Call, kind: OwnerKind, id: Ref, board_id: int, list_id: int, change: MoveBoardList
) -> BoardList:
    async with call.transaction() as tx:
        board = await find_board(tx, await find_board_owner(tx, call.actor, kind, id, to=ADMIN_LISTS), board_id)
        board_list = await find_list(tx, board, list_id)
        await operations.move_list(tx, board, board_list, change.position)
        return await entities.load_list(tx, board_list.id)


@delete(**owner_paths("/boards/:board_id/lists/:list_id"))
async def delete_board_list(call: Call, kind: OwnerKind, id: Ref, board_id: int, list_id: int) -> None:
    async with call.transaction() as tx:
        board = await find_board(tx, await find_board_owner(tx, call.actor, kind, id, to=ADMIN_LISTS), board_id)
        board_list = await find_list(tx, board, list_id)
        call.unless_modified(board_list.updated_at)
        await operations.remove_list(tx, board_list)
