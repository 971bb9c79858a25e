"""Parameters of requests about jobs."""

from typing import Annotated, Any, Final, Literal, get_args

from mujina.kernel.http.params import UNSET, BadValue, Form, Params, Unset, read_texts
from mujina.kernel.lists.keyset import Cursor

Status = Literal[
    "created", "waiting_for_resource", "preparing", "waiting_for_callback", "pending", "running", "success", "failed",
    "canceling", "canceled", "skipped", "manual", "scheduled",
]  # fmt: skip
"""The statuses of jobs and pipelines that clients may ask for; nothing here ever waits for a resource or a callback, prepares or
is canceling."""
STATUSES: Final = get_args(Status)


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
    status: Status | Unset = UNSET
    order_by: Literal["id"] = "id"
    sort: Literal["asc", "desc"] = "desc"
