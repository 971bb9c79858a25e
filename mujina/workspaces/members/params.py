"""The parameters of requests about members and access."""

from mujina.kernel.access import DEVELOPER
from mujina.kernel.params import UNSET, Date, Params, Unset, Words


class ListMembers(Params):
    query: Words | Unset = UNSET


class AddMember(Params):
    user_id: int
    access_level: int
    expires_at: Date | Unset | None = UNSET


class EditMember(Params):
    access_level: int
    expires_at: Date | Unset | None = UNSET


class ApproveRequest(Params):
    access_level: int = DEVELOPER
