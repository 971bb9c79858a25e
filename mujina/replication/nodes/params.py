"""Parameters of requests about nodes."""

from mujina.kernel.http.params import UNSET, Params, RequiredText, Unset


class EditNode(Params):
    """A field that is not sent keeps its value."""

    enabled: bool | Unset = UNSET
    url: RequiredText | Unset = UNSET
    files_max_capacity: int | Unset = UNSET
    repos_max_capacity: int | Unset = UNSET
