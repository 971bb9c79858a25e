"""Parameters of requests about triggers."""

from mujina.kernel.http.params import UNSET, Params, RequiredText, Unset


class CreateTrigger(Params):
    description: str


class EditTrigger(Params):
    description: RequiredText | Unset = UNSET
