"""Parameters of the pages about users."""

from typing import Literal

from mujina.accounts.users.params import ListUsers
from mujina.kernel.http.params import UNSET, Params, Unset

AccountFilter = Literal["admins", "two_factor_enabled", "two_factor_disabled", "external", "blocked", "pending"]


class ListAccounts(ListUsers):
    """The list of the administration has tabs beside the filters of the API."""

    filter: AccountFilter | Unset | None = UNSET


class AccountNote(Params):
    note: str = ""
    """For administrators only."""


class NewIdentity(Params):
    provider: str = ""
    extern_uid: str = ""
