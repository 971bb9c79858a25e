"""Parameters of requests about triggers."""

from mujina.kernel.http.params import UNSET, AnyObject, Params, RequiredText, Unset


class CreateTrigger(Params):
    description: str


class EditTrigger(Params):
    description: RequiredText | Unset = UNSET


class TriggerRef(Params):
    token: str
    variables: AnyObject | Unset = UNSET


class TriggerPipeline(TriggerRef):
    ref: str
