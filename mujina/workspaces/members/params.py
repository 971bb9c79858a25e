"""The parameters of requests about members and access."""

from typing import Literal

from mujina.kernel.access import DEVELOPER, GUEST
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


class SearchMembers(Params):
    search: Words | Unset = UNSET


class InviteMember(Params):
    """The form of a page: the user by name."""

    user: str = ""
    access_level: int = GUEST
    expires_at: Date | Unset | None = UNSET


class ShareWithGroup(Params):
    """The form of a page: the group by its path."""

    group: str = ""
    group_access: Literal[10, 20, 30, 40] = GUEST
    share_expires_at: Date | Unset | None = UNSET
