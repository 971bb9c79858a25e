"""Parameters of requests about failures."""

from typing import Literal

from mujina.kernel.http.params import UNSET, Params, Unset


class ListFailures(Params):
    type: Literal["repository", "wiki"] | Unset = UNSET
