"""Parameters of the completion of texts."""

from typing import Literal

from mujina.kernel.http.params import UNSET, Params, Unset


class Complete(Params):
    project_id: int | Unset = UNSET
    group_id: int | Unset = UNSET
    sign: Literal["@", "#", "!", "~", "%", ":"] | Unset = UNSET
    """The kind of names to complete; without it, pages to go to."""
    search: str = ""
