"""Parameters of requests about variables."""

from typing import Annotated, Literal

from mujina.kernel.http.params import UNSET, Params, RequiredText, Unset, nested

VariableType = Literal["env_var", "file"]


class VariableFilter(Params):
    """Which of several variables with the same key is meant; the oldest if the request does not say."""

    environment_scope: str | Unset = UNSET


ChosenScope = Annotated[VariableFilter, nested(VariableFilter)] | Unset


class ChooseVariable(Params):
    filter: ChosenScope = UNSET


class InstanceVariableChange(Params):
    """The attributes that creating and editing any variable share."""

    protected: bool | Unset = UNSET
    masked: bool | Unset = UNSET
    raw: bool | Unset = UNSET
    variable_type: VariableType | Unset = UNSET
    description: str | Unset | None = UNSET


class VariableChange(InstanceVariableChange):
    environment_scope: RequiredText | Unset = UNSET


class CreateInstanceVariable(InstanceVariableChange):
    key: str
    value: str


class CreateVariable(VariableChange):
    key: str
    value: str


class EditInstanceVariable(InstanceVariableChange):
    value: RequiredText | Unset = UNSET


class EditVariable(VariableChange):
    value: RequiredText | Unset = UNSET
    filter: ChosenScope = UNSET
