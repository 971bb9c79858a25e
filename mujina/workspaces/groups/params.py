"""The parameters of requests about groups."""

from typing import ClassVar, Literal

from mujina.kernel.http.forms import Upload
from mujina.kernel.http.params import UNSET, Date, Dictionary, Ids, Params, RequiredText, Unset, Words
from mujina.kernel.lists.keyset import Cursor
from mujina.kernel.permissions.levels import Visibility
from mujina.workspaces.ldap_groups.params import LinkedLevel
from mujina.workspaces.stored_settings.params import StoredGroupSettings


class ListGroups(Params):
    """The filters of both lists of groups."""

    skip_groups: Ids | Unset = UNSET
    all_available: bool | Unset | None = UNSET
    search: Words | Unset = UNSET
    order_by: Literal["name", "path", "id", "similarity", "created_at"] = "name"
    sort: Literal["asc", "desc"] = "asc"
    statistics: bool | Unset | None = UNSET
    owned: bool | Unset | None = UNSET
    min_access_level: Literal[10, 20, 30, 40, 50] | Unset = UNSET
    top_level_only: bool | Unset | None = UNSET
    visibility: Visibility | Unset = UNSET
    custom_attributes: Dictionary | Unset = UNSET
    with_custom_attributes: bool | Unset | None = UNSET
    pagination: str | Unset = UNSET
    """`keyset`: pages follow each other by `cursor`, and have no total."""
    cursor: Cursor | Unset = UNSET


class ShowGroup(Params):
    with_custom_attributes: bool | Unset | None = UNSET


class GroupSettings(StoredGroupSettings):
    """Settings that both creating and editing a group accept."""

    description: str | Unset | None = UNSET
    visibility: Visibility | Unset = UNSET
    lfs_enabled: bool | Unset = UNSET
    request_access_enabled: bool | Unset = UNSET
    membership_lock: bool | Unset = UNSET
    share_with_group_lock: bool | Unset = UNSET
    shared_runners_minutes_limit: int | Unset | None = UNSET


STORED = StoredGroupSettings.__struct_fields__
"""The settings that a group shows once a user has set them."""


class CreateGroup(GroupSettings):
    name: str
    path: str
    parent_id: int | Unset | None = UNSET
    avatar: Upload | Unset | None = UNSET
    ldap_cn: str | Unset = UNSET
    ldap_access: LinkedLevel | Unset = UNSET

    all_or_none_of: ClassVar = ("ldap_cn", "ldap_access")


class ShareGroup(Params):
    group_id: int
    group_access: Literal[10, 20, 30, 40, 50]
    expires_at: Date | Unset | None = UNSET


class TransferGroup(Params):
    group_id: int | Unset | None = UNSET
    """The group to move it into; none: to the top level."""


class SearchLocations(Params):
    search: Words | Unset = UNSET


class EditGroup(GroupSettings):
    """A field left out stays as it is, visibility too."""

    name: RequiredText | Unset = UNSET
    path: RequiredText | Unset = UNSET
    avatar: Upload | Unset | None = UNSET
