"""Parameters of requests about sites."""

from typing import Literal

from mujina.kernel.http.params import UNSET, Params, Unset

Access = Literal["disabled", "private", "enabled", "public"]


class EditSite(Params):
    """Who sees the site: no one, members, those who read the project, or everyone."""

    pages_access_level: Access | Unset = UNSET
