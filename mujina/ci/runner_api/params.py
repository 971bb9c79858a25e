"""Parameters of the requests that runners send."""

from mujina.ci.runners.params import Info
from mujina.kernel.http.params import UNSET, Params, Unset


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
    trace: str | Unset = UNSET
