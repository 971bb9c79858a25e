"""Parameters of requests about jobs."""

from typing import Annotated, Any, Final, Literal

from mujina.kernel.http.params import UNSET, BadValue, Form, Params, Unset, read_texts
from mujina.kernel.lists.keyset import Cursor

STATUSES: Final = ("created", "scheduled", "manual", "pending", "running", "success", "failed", "canceled", "skipped")


def _read_scopes(value: Any) -> list[str]:
    scopes = read_texts(value)
    if any(scope not in STATUSES for scope in scopes):
        raise BadValue("does not have a valid value")
    return scopes


Scopes = Annotated[
    list[str],
    Form(_read_scopes, {"type": "array", "items": {"type": "string", "enum": list(STATUSES)}}, blank_is_null=False),
]
"""One or several statuses."""


class ListJobs(Params):
    scope: Scopes | Unset = UNSET
    pagination: str | Unset = UNSET
    """`keyset`: pages follow each other by `cursor`, and have no total."""
    cursor: Cursor | Unset = UNSET


class ListRunnerJobs(Params):
    status: (
        Literal["created", "scheduled", "manual", "pending", "running", "success", "failed", "canceled", "skipped"]
        | Unset
    ) = UNSET
