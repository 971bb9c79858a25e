"""Parameters of the requests that runners send."""

from typing import Annotated, Any

from mujina.ci.runners.params import Info
from mujina.kernel.http.params import UNSET, Form, Params, Unset, read_text


def _read_trace(value: Any) -> str:
    """What a script printed may be anything: a report that is refused is sent again and again, and its job never ends."""
    return value if isinstance(value, str) else read_text(value)


Trace = Annotated[str, Form(_read_trace, {"type": "string"}, blank_is_null=False)]


class RequestJob(Params):
    """A runner asks for a job; `last_update` is what the last response told it."""

    token: str
    last_update: str | Unset = UNSET
    info: Info | Unset = UNSET


class UpdateJob(Params):
    """A runner reports; a state that is neither `success` nor `failed` only says that it still works."""

    token: str
    state: str | Unset = UNSET
    failure_reason: str | Unset = UNSET
    exit_code: int | Unset = UNSET
    trace: Trace | Unset = UNSET
