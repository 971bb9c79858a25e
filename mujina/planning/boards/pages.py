"""The pages of issue boards of projects and groups: the columns, and the forms that change them."""

from mujina.kernel import errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import INVALID
from mujina.kernel.html.pages import HtmlPage, PageRequest, Redirect, form, view
from mujina.kernel.http.params import Ref
from mujina.planning.boards import entities, moves, operations
from mujina.planning.boards.page_view import Column, read_columns
from mujina.planning.boards.params import BoardFields, BoardListFields, MoveBoardList, MoveCard, ShowBoard
from mujina.planning.boards.rules import (
    ADMIN_BOARD,
    ADMIN_BOARDS,
    ADMIN_GROUP_BOARD,
    ADMIN_LIST,
    ADMIN_LISTS,
    BoardOwner,
    find_board,
    find_board_owner,
    find_list,
    names_of,
)
from mujina.planning.issues import filters
from mujina.planning.issues.params import FilterIssues
from mujina.planning.labels.entities import LabelChip, chips_in
from mujina.planning.labels.operations import known
from mujina.planning.page_scopes.scopes import scope_of
from mujina.planning.work_items import choices
from mujina.planning.work_items.choices import FilterTexts
from mujina.workspaces.owners.rules import READ_OWNER, OwnerRule

_OF_PROJECT, _OF_GROUP = "/{project}/boards", "/groups/{group}/-/boards"
_IN_PROJECT, _IN_GROUP = f"{_OF_PROJECT}/{{board_id:int}}", f"{_OF_GROUP}/{{board_id:int}}"
_PROJECT_RIGHTS = {"board": ADMIN_BOARD, "list": ADMIN_LIST}
_GROUP_RIGHTS = {"board": ADMIN_GROUP_BOARD, "list": ADMIN_GROUP_BOARD}


@view(_OF_PROJECT, rights=_PROJECT_RIGHTS)
@view(_OF_GROUP, rights=_GROUP_RIGHTS)
@view(_IN_PROJECT, rights=_PROJECT_RIGHTS)
@view(_IN_GROUP, rights=_GROUP_RIGHTS)
async def show_board(request: PageRequest, query: ShowBoard, wanted: FilterIssues, board_id: int = 0) -> HtmlPage:
    """The board of this id, or else the first one, with the issues that the filters leave."""
    scope, owner, wanted = scope_of(request), _shown_owner(request), filters.named(wanted)
    async with request.searching() if wanted.search else request.reading() as tx:
        boards = await names_of(tx, owner)
        if not board_id and not boards:
            return HtmlPage("planning/boards.html", {"here": scope.here})
        board = await find_board(tx, owner, board_id or boards[0].id)
        projects = await scope.projects(tx, request.actor)
        lists = await entities.lists(tx, board.id)
        columns = await read_columns(tx, request.actor, board, lists, projects, query, wanted)
        context = {
            "query": wanted, "texts": FilterTexts.of(request.tree),
            "choices": await choices.read_choices(tx, request.actor, scope.owner),
            "board": board, "boards": boards, "columns": columns, "here": scope.here, "of_group": scope.of_group,
            "movable": frozenset(projects.full), "labels": await _chips(tx, columns),
        }  # fmt: skip
    return HtmlPage("planning/board.html", context, fragments=("board",))


async def _chips(tx: Tx, columns: list[Column]) -> dict[str, LabelChip]:
    issues = [issue for column in columns for issue in column.issues]
    projects = sorted({issue.project_id for issue in issues})
    return await chips_in(tx, projects, (title for issue in issues for title in issue.labels))


@view(f"{_OF_PROJECT}/new", to=ADMIN_BOARD, anonymous=False)
@view(f"{_OF_GROUP}/new", to=ADMIN_GROUP_BOARD, anonymous=False)
async def show_new_board(request: PageRequest) -> HtmlPage:
    _shown_owner(request)
    return HtmlPage("planning/board_form.html", {"board": None, "lists": [], "here": scope_of(request).here})


@form(_OF_PROJECT, to=ADMIN_BOARD, again=f"{_OF_PROJECT}/new")
@form(_OF_GROUP, to=ADMIN_GROUP_BOARD, again=f"{_OF_GROUP}/new")
async def create_board(request: PageRequest) -> Redirect:
    fields = request.read_form(BoardFields, "board")
    async with request.transaction() as tx:
        owner = await _owner(tx, request, ADMIN_BOARDS)
        board_id = await operations.create(tx, request.actor, owner, fields.name)
    return Redirect(f"{scope_of(request).here}/boards/{board_id}")


@view(f"{_IN_PROJECT}/edit", to=ADMIN_LIST, rights=_PROJECT_RIGHTS, anonymous=False)
@view(f"{_IN_GROUP}/edit", to=ADMIN_GROUP_BOARD, rights=_GROUP_RIGHTS, anonymous=False)
async def show_edit_board(request: PageRequest, board_id: int) -> HtmlPage:
    owner = _shown_owner(request)
    async with request.reading() as tx:
        board = await find_board(tx, owner, board_id)
        lists = await entities.lists(tx, board.id)
    context = {"board": board, "lists": lists, "here": scope_of(request).here}
    return HtmlPage("planning/board_form.html", context)


@form(_IN_PROJECT, to=ADMIN_BOARD, again=f"{_IN_PROJECT}/edit")
@form(_IN_GROUP, to=ADMIN_GROUP_BOARD, again=f"{_IN_GROUP}/edit")
async def edit_board(request: PageRequest, board_id: int) -> Redirect:
    fields = request.read_form(BoardFields, "board")
    async with request.transaction() as tx:
        owner = await _owner(tx, request, ADMIN_BOARDS)
        board = await find_board(tx, owner, board_id)
        await operations.rename(tx, request.actor, owner, board, fields.name)
    return Redirect(f"{scope_of(request).here}/boards/{board_id}", flash="Changes saved.")


@form(f"{_IN_PROJECT}/delete", to=ADMIN_BOARD, again=f"{_IN_PROJECT}/edit")
@form(f"{_IN_GROUP}/delete", to=ADMIN_GROUP_BOARD, again=f"{_IN_GROUP}/edit")
async def delete_board(request: PageRequest, board_id: int) -> Redirect:
    async with request.transaction() as tx:
        owner = await _owner(tx, request, ADMIN_BOARDS)
        await operations.remove(tx, request.actor, owner, await find_board(tx, owner, board_id))
    return Redirect(f"{scope_of(request).here}/boards", flash="Board deleted.")


@form(f"{_IN_PROJECT}/lists", to=ADMIN_LIST, again=_IN_PROJECT)
@form(f"{_IN_GROUP}/lists", to=ADMIN_GROUP_BOARD, again=_IN_GROUP)
async def add_board_list(request: PageRequest, board_id: int, fields: BoardListFields) -> Redirect:
    async with request.transaction() as tx:
        owner = await _owner(tx, request, ADMIN_LISTS)
        board = await find_board(tx, owner, board_id)
        label_id = (await known(tx, owner, [fields.label])).get(fields.label)
        if label_id is None:
            raise errors.invalid({"label": [INVALID]})
        await operations.add_list(tx, board, owner, label_id)
    return Redirect(f"{scope_of(request).here}/boards/{board_id}")


@form(f"{_IN_PROJECT}/lists/{{list_id:int}}/move", to=ADMIN_LIST, again=f"{_IN_PROJECT}/edit")
@form(f"{_IN_GROUP}/lists/{{list_id:int}}/move", to=ADMIN_GROUP_BOARD, again=f"{_IN_GROUP}/edit")
async def move_board_list(request: PageRequest, board_id: int, list_id: int, change: MoveBoardList) -> Redirect:
    async with request.transaction() as tx:
        board = await find_board(tx, await _owner(tx, request, ADMIN_LISTS), board_id)
        await operations.move_list(tx, board, await find_list(tx, board, list_id), change.position)
    return Redirect(f"{scope_of(request).here}/boards/{board_id}/edit")


@form(f"{_IN_PROJECT}/lists/{{list_id:int}}/delete", to=ADMIN_LIST, again=f"{_IN_PROJECT}/edit")
@form(f"{_IN_GROUP}/lists/{{list_id:int}}/delete", to=ADMIN_GROUP_BOARD, again=f"{_IN_GROUP}/edit")
async def delete_board_list(request: PageRequest, board_id: int, list_id: int) -> Redirect:
    async with request.transaction() as tx:
        board = await find_board(tx, await _owner(tx, request, ADMIN_LISTS), board_id)
        await operations.remove_list(tx, await find_list(tx, board, list_id))
    return Redirect(f"{scope_of(request).here}/boards/{board_id}/edit", flash="List removed.")


@form(f"{_IN_PROJECT}/move", again=_IN_PROJECT)
@form(f"{_IN_GROUP}/move", again=_IN_GROUP)
async def move_card(request: PageRequest, board_id: int, change: MoveCard) -> Redirect:
    scope = scope_of(request)
    async with request.transaction() as tx:
        board = await find_board(tx, await _owner(tx, request), board_id)
        projects = await scope.projects(tx, request.actor)
        await moves.move(tx, request.actor, await entities.lists(tx, board.id), projects, change.card)
    kept = request.link()
    return Redirect(f"{scope.here}/boards/{board_id}{kept if kept.startswith('?') else ''}")


def _shown_owner(request: PageRequest) -> BoardOwner:
    """The project or group of the address; 404 if it has no issues."""
    scope = scope_of(request)
    if not scope.has_issues:
        raise errors.not_found("Board")
    return BoardOwner(scope.owner.kind, scope.owner.id, scope.owner.namespace_id)


async def _owner(tx: Tx, request: PageRequest, to: OwnerRule = READ_OWNER) -> BoardOwner:
    """The owner in the transaction of a form, if the actor may do this there; 404 if it has no issues."""
    owner = scope_of(request).owner
    found = await find_board_owner(tx, request.actor, owner.kind, Ref.of(owner.id), to=to)
    if not found.issues_enabled:
        raise errors.not_found("Board")
    return found
