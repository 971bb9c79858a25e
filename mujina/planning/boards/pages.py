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
    ADMIN_BOARDS,
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
from mujina.planning.work_items import choices
from mujina.planning.work_items.choices import FilterTexts
from mujina.planning.work_items.page_scopes import scope_of
from mujina.workspaces.owners.rules import READ_OWNER, OwnerRule

_ALL, _ONE = "/{owner}/boards", "/{owner}/boards/{board_id:int}"
_RIGHTS = {"board": ADMIN_BOARDS, "list": ADMIN_LISTS}


@view(_ALL, rights=_RIGHTS)
@view(_ONE, rights=_RIGHTS)
async def show_board(request: PageRequest, query: ShowBoard, wanted: FilterIssues, board_id: int = 0) -> HtmlPage:
    """The board of this id, or else the first one, with the issues that the filters leave."""
    scope, owner, wanted = scope_of(request), _shown_owner(request), filters.named(wanted)
    async with request.listing(wide=wanted.search) as tx:
        boards = await names_of(tx, owner)
        if not board_id and not boards:
            return HtmlPage("planning/boards.html", {"here": request.here})
        board = await find_board(tx, owner, board_id or boards[0].id)
        projects = await scope.projects(tx, request.actor)
        lists = await entities.lists(tx, board.id)
        columns = await read_columns(tx, request.actor, board, lists, projects, query, wanted)
        context = {
            "query": wanted, "texts": FilterTexts.of(request.tree),
            "choices": await choices.read_choices(tx, request.actor, scope.owner),
            "board": board, "boards": boards, "columns": columns, "here": request.here, "of_group": scope.of_group,
            "movable": frozenset(projects.full), "labels": await _chips(tx, columns),
        }  # fmt: skip
    return HtmlPage("planning/board.html", context, fragments=("board",))


async def _chips(tx: Tx, columns: list[Column]) -> dict[str, LabelChip]:
    issues = [issue for column in columns for issue in column.issues]
    projects = sorted({issue.project_id for issue in issues})
    return await chips_in(tx, projects, (title for issue in issues for title in issue.labels))


@view(f"{_ALL}/new", to=ADMIN_BOARDS, anonymous=False)
async def show_new_board(request: PageRequest) -> HtmlPage:
    _shown_owner(request)
    return HtmlPage("planning/board_form.html", {"board": None, "lists": [], "here": request.here})


@form(_ALL, to=ADMIN_BOARDS, again=f"{_ALL}/new")
async def create_board(request: PageRequest) -> Redirect:
    fields = request.read_form(BoardFields, "board")
    async with request.transaction() as tx:
        owner = await _owner(tx, request, ADMIN_BOARDS)
        board_id = await operations.create(tx, request.actor, owner, fields.name)
    return Redirect(f"{request.here}/boards/{board_id}")


@view(f"{_ONE}/edit", to=ADMIN_LISTS, rights=_RIGHTS, anonymous=False)
async def show_edit_board(request: PageRequest, board_id: int) -> HtmlPage:
    owner = _shown_owner(request)
    async with request.reading() as tx:
        board = await find_board(tx, owner, board_id)
        lists = await entities.lists(tx, board.id)
    context = {"board": board, "lists": lists, "here": request.here}
    return HtmlPage("planning/board_form.html", context)


@form(_ONE, to=ADMIN_BOARDS, again=f"{_ONE}/edit")
async def edit_board(request: PageRequest, board_id: int) -> Redirect:
    fields = request.read_form(BoardFields, "board")
    async with request.transaction() as tx:
        owner = await _owner(tx, request, ADMIN_BOARDS)
        board = await find_board(tx, owner, board_id)
        await operations.rename(tx, request.actor, owner, board, fields.name)
    return Redirect(f"{request.here}/boards/{board_id}", flash="Changes saved.")


@form(f"{_ONE}/delete", to=ADMIN_BOARDS, again=f"{_ONE}/edit")
async def delete_board(request: PageRequest, board_id: int) -> Redirect:
    async with request.transaction() as tx:
        owner = await _owner(tx, request, ADMIN_BOARDS)
        await operations.remove(tx, request.actor, owner, await find_board(tx, owner, board_id))
    return Redirect(f"{request.here}/boards", flash="Board deleted.")


@form(f"{_ONE}/lists", to=ADMIN_LISTS, again=_ONE)
async def add_board_list(request: PageRequest, board_id: int, fields: BoardListFields) -> Redirect:
    async with request.transaction() as tx:
        owner = await _owner(tx, request, ADMIN_LISTS)
        board = await find_board(tx, owner, board_id)
        label_id = (await known(tx, owner, [fields.label])).get(fields.label)
        if label_id is None:
            raise errors.invalid({"label": [INVALID]})
        await operations.add_list(tx, board, owner, label_id)
    return Redirect(f"{request.here}/boards/{board_id}")


@form(f"{_ONE}/lists/{{list_id:int}}/move", to=ADMIN_LISTS, again=f"{_ONE}/edit")
async def move_board_list(request: PageRequest, board_id: int, list_id: int, change: MoveBoardList) -> Redirect:
    async with request.transaction() as tx:
        board = await find_board(tx, await _owner(tx, request, ADMIN_LISTS), board_id)
        await operations.move_list(tx, board, await find_list(tx, board, list_id), change.position)
    return Redirect(f"{request.here}/boards/{board_id}/edit")


@form(f"{_ONE}/lists/{{list_id:int}}/delete", to=ADMIN_LISTS, again=f"{_ONE}/edit")
async def delete_board_list(request: PageRequest, board_id: int, list_id: int) -> Redirect:
    async with request.transaction() as tx:
        board = await find_board(tx, await _owner(tx, request, ADMIN_LISTS), board_id)
        await operations.remove_list(tx, await find_list(tx, board, list_id))
    return Redirect(f"{request.here}/boards/{board_id}/edit", flash="List removed.")


@form(f"{_ONE}/move", again=_ONE)
async def move_card(request: PageRequest, board_id: int, change: MoveCard) -> Redirect:
    scope = scope_of(request)
    async with request.transaction() as tx:
        board = await find_board(tx, await _owner(tx, request), board_id)
        projects = await scope.projects(tx, request.actor)
        await moves.move(tx, request.actor, await entities.lists(tx, board.id), projects, change.card)
    kept = request.link()
    return Redirect(f"{request.here}/boards/{board_id}{kept if kept.startswith('?') else ''}")


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
