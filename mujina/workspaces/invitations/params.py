"""The parameters of requests about invitations."""

from typing import ClassVar

from mujina.kernel.http.params import EVERY_FIELD, UNSET, Date, Ids, Names, Params, Unset, Words


class ListInvitations(Params):
    query: Words | Unset = UNSET


class SendInvitations(Params):
    email: Names | Unset = UNSET
    user_id: Ids | Unset = UNSET
    access_level: int
    expires_at: Date | Unset | None = UNSET

    at_least_one_of: ClassVar = ("email", "user_id")


class EditInvitation(Params):
    access_level: int | Unset = UNSET
    expires_at: Date | Unset | None = UNSET

    at_least_one_of: ClassVar = EVERY_FIELD
