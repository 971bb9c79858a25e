"""Parameters of requests about users."""

from typing import ClassVar, Literal

from mujina.kernel.http.forms import Upload
from mujina.kernel.http.params import UNSET, Date, Dictionary, Params, RequiredText, Timestamp, Unset, Words
from mujina.kernel.lists.keyset import Cursor


class ListUsers(Params):
    active: bool | Unset | None = UNSET
    blocked: bool | Unset | None = UNSET
    search: Words | Unset = UNSET
    username: str | Unset = UNSET
    extern_uid: str | Unset = UNSET
    provider: str | Unset = UNSET
    external: bool | Unset | None = UNSET
    skip_ldap: bool | Unset | None = UNSET
    exclude_external: bool | Unset | None = UNSET
    exclude_internal: bool | Unset | None = UNSET
    """Without the ghost user."""
    without_project_bots: bool | Unset | None = UNSET
    humans: bool | Unset | None = UNSET
    """Without both."""
    admins: bool | Unset | None = UNSET
    two_factor: Literal["enabled", "disabled"] | Unset = UNSET
    without_projects: bool | Unset | None = UNSET
    """The last three are for administrators."""
    created_before: Timestamp | Unset = UNSET
    created_after: Timestamp | Unset = UNSET
    custom_attributes: Dictionary | Unset = UNSET
    with_custom_attributes: bool | Unset | None = UNSET
    order_by: Literal["id", "name", "username", "created_at", "updated_at"] | Unset = UNSET
    sort: Literal["asc", "desc"] | Unset = UNSET
    pagination: str | Unset = UNSET
    """`keyset`: pages follow each other by `cursor`, and have no total; not the best matches of a search."""
    cursor: Cursor | Unset = UNSET

    all_or_none_of: ClassVar = ("extern_uid", "provider")


class ShowUser(Params):
    with_custom_attributes: bool | Unset | None = UNSET


class Profile(Params):
    """The fields that creating and editing a user share."""

    skype: str | Unset | None = UNSET
    linkedin: str | Unset | None = UNSET
    twitter: str | Unset | None = UNSET
    website_url: str | Unset | None = UNSET
    organization: str | Unset | None = UNSET
    projects_limit: int | Unset = UNSET
    extern_uid: str | Unset = UNSET
    provider: str | Unset = UNSET
    bio: str | Unset | None = UNSET
    location: str | Unset | None = UNSET
    admin: bool | Unset = UNSET
    can_create_group: bool | Unset = UNSET
    external: bool | Unset = UNSET
    avatar: Upload | Unset | None = UNSET
    shared_runners_minutes_limit: int | Unset | None = UNSET

    all_or_none_of: ClassVar = ("extern_uid", "provider")


class CreateUser(Profile):
    email: str
    username: str
    name: str
    password: str | Unset = UNSET
    reset_password: bool | Unset = UNSET
    skip_confirmation: bool | Unset = UNSET

    at_least_one_of: ClassVar = ("password", "reset_password")


class EditUser(Profile):
    """A field that is not sent keeps its value."""

    email: RequiredText | Unset = UNSET
    username: RequiredText | Unset = UNSET
    name: RequiredText | Unset = UNSET
    password: str | Unset = UNSET
    skip_reconfirmation: bool | Unset = UNSET


class DeleteUser(Params):
    hard_delete: bool | Unset | None = UNSET


class ListActivities(Params):
    from_: Date | Unset = UNSET


class EditProfile(Params):
    """The fields that users may change themselves on a page."""

    name: RequiredText | Unset = UNSET
    bio: str | Unset | None = UNSET
    location: str | Unset | None = UNSET
    organization: str | Unset | None = UNSET
    website_url: str | Unset | None = UNSET
    skype: str | Unset | None = UNSET
    linkedin: str | Unset | None = UNSET
    twitter: str | Unset | None = UNSET


StartPage = Literal["projects", "starred", "activity", "groups", "todos", "issues", "merge_requests"]
"""The page of one's own work that is shown first."""


class PublicProfile(Params):
    """The profile fields that only the user's page shows."""

    public_email: str | Unset = UNSET
    """An address that everyone who is signed in may see; empty: none."""
    private_contributions: bool | Unset = UNSET
    """Whether the calendar counts what its reader may not see."""


class EditPreferences(Params):
    """The preferences of users for pages."""

    theme: Literal["auto", "light", "dark"] = "auto"
    keyboard_shortcuts: bool = False
    start_page: StartPage = "projects"
    project_view: Literal["files", "readme", "activity"] = "files"


class DeleteAccount(Params):
    """Both confirm that users want to delete their own account."""

    username: str = ""
    current_password: str = ""


class ChangeUsername(Params):
    username: str = ""


class ChangeAvatar(Params):
    avatar: Upload | Unset | None = UNSET


class ChangePassword(Params):
    current_password: str = ""
    password: str = ""
    password_confirmation: str = ""


class ChangeEmail(Params):
    email: str = ""
    current_password: str = ""


class ShowAvatar(Params):
    """The size is ignored: avatars have one."""

    email: str
    size: int | Unset | None = UNSET
