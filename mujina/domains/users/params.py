"""What requests about people may say."""

from typing import ClassVar, Literal

from mujina.kernel.forms import Upload
from mujina.kernel.params import UNSET, Dictionary, Params, Timestamp, Unset


class ListUsers(Params):
    active: bool | None | Unset = UNSET
    blocked: bool | None | Unset = UNSET
    search: str | Unset = UNSET
    username: str | Unset = UNSET
    extern_uid: str | Unset = UNSET
    provider: str | Unset = UNSET
    external: bool | None | Unset = UNSET
    created_before: Timestamp | Unset = UNSET
    created_after: Timestamp | Unset = UNSET
    custom_attributes: Dictionary | Unset = UNSET
    order_by: Literal["id", "name", "username", "created_at", "updated_at"] = "id"
    sort: Literal["asc", "desc"] = "desc"

    all_or_none_of: ClassVar = ("extern_uid", "provider")


class Profile(Params):
    """What both creating and editing a person may set."""

    skype: str | None | Unset = UNSET
    linkedin: str | None | Unset = UNSET
    twitter: str | None | Unset = UNSET
    website_url: str | None | Unset = UNSET
    organization: str | None | Unset = UNSET
    projects_limit: int | Unset = UNSET
    extern_uid: str | Unset = UNSET
    provider: str | Unset = UNSET
    bio: str | None | Unset = UNSET
    location: str | None | Unset = UNSET
    admin: bool | Unset = UNSET
    can_create_group: bool | Unset = UNSET
    external: bool | Unset = UNSET
    avatar: Upload | None | Unset = UNSET
    shared_runners_minutes_limit: int | None | Unset = UNSET

    all_or_none_of: ClassVar = ("extern_uid", "provider")


class CreateUser(Profile):
    email: str
    username: str
    name: str
    password: str | Unset = UNSET
    reset_password: bool | Unset = UNSET
    skip_confirmation: bool | Unset = UNSET

    at_least_one_of: ClassVar = ("password", "reset_password")
