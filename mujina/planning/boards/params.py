"""The parameters of requests about boards."""

from mujina.kernel.params import Params


class CreateBoard(Params):
    name: str


class EditBoard(Params):
    name: str


class CreateBoardList(Params):
    label_id: int


class MoveBoardList(Params):
    position: int
