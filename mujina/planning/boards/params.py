"""What requests about boards may say."""

from mujina.kernel.params import Params


class CreateBoard(Params):
    name: str


class EditBoard(Params):
    name: str


class CreateList(Params):
    label_id: int


class MoveList(Params):
    position: int
