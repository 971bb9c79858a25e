"""Parameters of requests about push mirrors."""

from typing import Literal

from mujina.kernel.http.params import UNSET, Params, Unset


class MirrorChange(Params):
    """The fields that creating and editing a mirror share."""

    enabled: bool | Unset = UNSET
    only_protected_branches: bool | Unset = UNSET
    keep_divergent_refs: bool | Unset = UNSET
    auth_method: Literal["password"] | Unset = UNSET
    """Mirrors by SSH are not offered: the password stands in the URL."""


class CreateMirror(MirrorChange):
    url: str


class EditMirror(MirrorChange):
    pass


class MirrorForm(Params):
    """The form of a new mirror, which pushes from the start."""

    url: str = ""
    only_protected_branches: bool = False
    keep_divergent_refs: bool = False
