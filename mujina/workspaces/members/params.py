"""The parameters of requests about members and access."""

from typing import Literal

from mujina.kernel.http.params import UNSET, Date, Ids, Params, Unset, Words
from mujina.kernel.permissions.levels import DEVELOPER, GUEST


class ListMembers(Params):
    query: Words | Unset = UNSET
    user_ids: Ids | Unset = UNSET
    skip_users: Ids | Unset = UNSET


class ListMemberships(Params):
    type: Literal["Project", "Namespace"] | Unset = UNSET


class AddMember(Params):
    """The user by id or by name, or several users by their ids."""

    user_id: Ids | Unset = UNSET
    username: str | Unset = UNSET
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


class ShareGroupWithGroup(Params):
    """The form of a page: the group by its path. A group has owners, so it may be shared up to their role."""

    group: str = ""
    group_access: Literal[10, 20, 30, 40, 50] = GUEST
    share_expires_at: Date | Unset | None = UNSET
