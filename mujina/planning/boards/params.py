"""The parameters of requests about boards."""

from mujina.kernel.http.params import Params, Words


class CreateBoard(Params):
    name: str


class EditBoard(CreateBoard):
    """The fields of a new board."""


class CreateBoardList(Params):
    label_id: int


class MoveBoardList(Params):
    position: int


class ShowBoard(Params):
    """Which column of the page shows more cards."""

    column: str = ""
    cards: int = 0


class BoardFields(Params):
    """The form of a board."""

    name: str = ""


class BoardListFields(Params):
    """The form of a list: the title of its label."""

    label: Words = ""


class MoveCard(Params):
    """`project:issue:from:to`: the id of a project, the number of an issue, and two columns."""

    card: str
