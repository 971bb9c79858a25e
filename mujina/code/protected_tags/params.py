"""Parameters of requests about protected tags."""

from mujina.code.protected_branches.params import Level
from mujina.kernel.http.params import UNSET, Params, Trees, Unset


class ProtectTag(Params):
    """Masters by default; `allowed_to_create` names single users, groups or levels."""

    name: str
    create_access_level: Level | Unset = UNSET
    allowed_to_create: Trees | Unset = UNSET
