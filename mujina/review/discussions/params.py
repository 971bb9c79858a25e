"""The parameters of discussions on merge requests."""

from typing import ClassVar

from mujina.kernel.http.params import EVERY_FIELD, UNSET, Params, Unset


class ResolveDiscussion(Params):
    resolved: bool


class EditMergeRequestNote(Params):
    body: str | Unset = UNSET
    resolved: bool | Unset = UNSET

    at_least_one_of: ClassVar = EVERY_FIELD
    at_most_one_of: ClassVar = ("body", "resolved")
