"""Parameters of the completion of texts."""

from typing import Literal

from mujina.kernel.params import Params


class Complete(Params):
    project_id: int
    sign: Literal["@", "#", "!", "~", "%"]
    search: str = ""
