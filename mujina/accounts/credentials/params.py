"""Parameters of requests about tokens."""

from typing import Literal

from mujina.kernel.params import UNSET, Date, Params, Texts, Unset


class ListImpersonationTokens(Params):
    state: Literal["all", "active", "inactive"] = "all"


class CreateImpersonationToken(Params):
    name: str
    scopes: Texts
    expires_at: Date | Unset | None = UNSET


class CreateToken(Params):
    """The form of the page."""

    name: str = ""
    scopes: Texts = []  # noqa: RUF012 - msgspec copies it
    expires_at: Date | Unset | None = UNSET
