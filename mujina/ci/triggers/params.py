"""Parameters of requests about triggers."""

from typing import Annotated, Any

from mujina.kernel.http.params import UNSET, Form, Params, RequiredText, Unset

AnyObject = Annotated[Any, Form(lambda value: value, {"type": "object"})]
"""The operation says what is wrong with it."""


class CreateTrigger(Params):
    description: str


class EditTrigger(Params):
    description: RequiredText | Unset = UNSET


class TriggerRef(Params):
    token: str
    variables: AnyObject | Unset = UNSET


class TriggerPipeline(TriggerRef):
    ref: str
