"""Parameters of requests about broadcast messages."""

from mujina.kernel.http.params import UNSET, Params, RequiredText, Timestamp, Unset, required


class EditBroadcast(Params):
    """A field that is not sent keeps its value."""

    message: RequiredText | Unset = UNSET
    starts_at: Timestamp | Unset = UNSET
    ends_at: Timestamp | Unset = UNSET
    color: str | Unset = UNSET
    font: str | Unset = UNSET


class CreateBroadcast(EditBroadcast):
    message: str = required()
