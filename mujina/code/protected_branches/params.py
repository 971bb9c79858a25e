"""Parameters of requests about protected branches."""

from typing import Literal

from mujina.kernel.http.params import UNSET, Params, Trees, Unset

Level = Literal[0, 30, 40]


class ProtectBranch(Params):
    """Masters by default; `allowed_to_…` names single users, groups or levels."""

    name: str
    push_access_level: Level | Unset = UNSET
    merge_access_level: Level | Unset = UNSET
    allowed_to_push: Trees | Unset = UNSET
    allowed_to_merge: Trees | Unset = UNSET
    allow_force_push: bool = False
    code_owner_approval_required: bool = False


class EditProtectedBranch(Params):
    """Entries of `allowed_to_…` with an `id` change that grant, or remove it with `_destroy`; others are added."""

    allow_force_push: bool | Unset = UNSET
    code_owner_approval_required: bool | Unset = UNSET
    allowed_to_push: Trees | Unset = UNSET
    allowed_to_merge: Trees | Unset = UNSET
