"""Parameters of requests about lists of users."""

from typing import ClassVar

from mujina.kernel.http.params import EVERY_FIELD, UNSET, Params, RequiredText, Unset


class ListUserLists(Params):
    search: str | Unset = UNSET


class CreateUserList(Params):
    name: str
    user_xids: str
    """Ids of users as the asking program knows them, separated by commas."""


class EditUserList(Params):
    name: RequiredText | Unset = UNSET
    user_xids: str | Unset = UNSET

    at_least_one_of: ClassVar = EVERY_FIELD
