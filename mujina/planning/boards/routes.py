"""Issue boards of projects."""

from mujina.kernel import errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http import Call
from mujina.kernel.owners import Owner
from mujina.kernel.paging import Page, Paged
from mujina.kernel.params import Ref
from mujina.kernel.routing import delete, get, post, put
from mujina.kernel.rules import Rule
from mujina.planning.boards import entities, operations
from mujina.planning.boards.entities import Board, BoardList
from mujina.planning.boards.params import CreateBoard, CreateBoardList, EditBoard, MoveBoardList
from mujina.planning.boards.rules import ADMIN_BOARD, ADMIN_LIST, BoardRow, find_board, find_list
from mujina.workspaces.projects.rules import READ_PROJECT, ProjectRow, find_project


@get("/projects/:id/boards")
async def list_boards(call: Call, id: Ref, page: Page) -> Paged[Board]:
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id)
        if not project.issues_enabled:
            return page.of([], 0)
        return page.of(await entities.listed(tx, project.id, page), await entities.of_project(project.id).total(tx))


@get("/projects/:id/boards/:board_id")
async def show_board(call: Call, id: Ref, board_id: int) -> Board:
    async with call.reading() as tx:
        board = await _board(tx, call, id, board_id)
        return await entities.single(tx, board.project_id, board.id)


@post("/projects/:id/boards")
async def create_board(call: Call, id: Ref, change: CreateBoard) -> Board:
    async with call.transaction() as tx:
        project = await _project(tx, call, id, ADMIN_BOARD)
        board_id = await operations.create(tx, call.actor, project.id, change.name)
        return await entities.single(tx, project.id, board_id)


@put("/projects/:id/boards/:board_id")
async def edit_board(call: Call, id: Ref, board_id: int, change: EditBoard) -> Board:
    async with call.transaction() as tx:
        board = await _board(tx, call, id, board_id, to=ADMIN_BOARD)
        await operations.rename(tx, call.actor, board, change.name)
        return await entities.single(tx, board.project_id, board.id)


@delete("/projects/:id/boards/:board_id")
async def delete_board(call: Call, id: Ref, board_id: int) -> None:
    async with call.transaction() as tx:
        board = await _board(tx, call, id, board_id, to=ADMIN_BOARD)
        call.unless_modified(board.updated_at)
        await operations.remove(tx, call.actor, board)


@get("/projects/:id/boards/:board_id/lists")
async def list_board_lists(call: Call, id: Ref, board_id: int, page: Page) -> Paged[BoardList]:
    async with call.reading() as tx:
        board = await _board(tx, call, id, board_id)
        return page.cut(await entities.lists(tx, board.id))


@get("/projects/:id/boards/:board_id/lists/:list_id")
async def show_board_list(call: Call, id: Ref, board_id: int, list_id: int) -> BoardList:
    async with call.reading() as tx:
        board_list = await find_list(tx, await _board(tx, call, id, board_id), list_id)
        return await entities.single_list(tx, board_list.id)


@post("/projects/:id/boards/:board_id/lists")
async def create_board_list(call: Call, id: Ref, board_id: int, change: CreateBoardList) -> BoardList:
    async with call.transaction() as tx:
        project = await _project(tx, call, id, ADMIN_LIST)
        board = await find_board(tx, project.id, board_id)
        owner = Owner("project", project.id, project.namespace_id)
        return await entities.single_list(tx, await operations.add_list(tx, board, owner, change.label_id))


@put("/projects/:id/boards/:board_id/lists/:list_id")
async def move_board_list(call: Call, id: Ref, board_id: int, list_id: int, change: MoveBoardList) -> BoardList:
    async with call.transaction() as tx:
        board = await _board(tx, call, id, board_id, to=ADMIN_LIST)
        board_list = await find_list(tx, board, list_id)
        await operations.move_list(tx, board, board_list, change.position)
        return await entities.single_list(tx, board_list.id)


@delete("/projects/:id/boards/:board_id/lists/:list_id")
async def delete_board_list(call: Call, id: Ref, board_id: int, list_id: int) -> None:
    async with call.transaction() as tx:
        board = await _board(tx, call, id, board_id, to=ADMIN_LIST)
        board_list = await find_list(tx, board, list_id)
        call.unless_modified(board_list.updated_at)
        await operations.remove_list(tx, board_list)


async def _project(tx: Tx, call: Call, ref: Ref, to: Rule) -> ProjectRow:
    """The project; 404 if issues are disabled, because it has no boards then."""
    project = await find_project(tx, call.actor, ref, to=to)
    if not project.issues_enabled:
        raise errors.not_found("Board")
    return project


async def _board(tx: Tx, call: Call, ref: Ref, board_id: int, *, to: Rule = READ_PROJECT) -> BoardRow:
    project = await _project(tx, call, ref, to)
    return await find_board(tx, project.id, board_id)
