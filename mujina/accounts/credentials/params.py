"""Parameters of requests about tokens."""

from typing import Literal

from mujina.kernel.http.params import UNSET, Date, Params, Texts, Timestamp, Unset, Words

TokenSort = Literal[
    "asc", "desc", "created_asc", "created_desc", "expires_asc", "expires_desc", "last_used_asc", "last_used_desc",
    "name_asc", "name_desc",
]  # fmt: skip


class ListImpersonationTokens(Params):
    state: Literal["all", "active", "inactive"] = "all"


class CreateImpersonationToken(Params):
    name: str
    scopes: Texts
    expires_at: Date | Unset | None = UNSET


class ListPersonalTokens(Params):
    user_id: int | Unset = UNSET
    revoked: bool | Unset | None = UNSET
    state: Literal["active", "inactive"] | Unset = UNSET
    search: Words | Unset = UNSET
    created_after: Timestamp | Unset = UNSET
    created_before: Timestamp | Unset = UNSET
    last_used_after: Timestamp | Unset = UNSET
    last_used_before: Timestamp | Unset = UNSET
    expires_after: Date | Unset = UNSET
    expires_before: Date | Unset = UNSET
    sort: TokenSort = "created_asc"


class CreatePersonalToken(Params):
    name: str
    scopes: Texts
    expires_at: Date | Unset | None = UNSET
    description: str | Unset | None = UNSET


class RotateToken(Params):
    expires_at: Date | Unset | None = UNSET


class CreateToken(Params):
    """The form of the page."""

    name: str = ""
    scopes: Texts = []  # noqa: RUF012 - msgspec copies it
    expires_at: Date | Unset | None = UNSET
