"""What requests about tokens may say."""

from typing import Literal

from mujina.kernel.params import UNSET, Date, Params, Texts, Unset


class ListImpersonationTokens(Params):
    state: Literal["all", "active", "inactive"] = "all"


class CreateImpersonationToken(Params):
    name: str
    scopes: Texts
    expires_at: Date | Unset | None = UNSET
