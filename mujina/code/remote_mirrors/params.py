"""Parameters of requests about push mirrors."""

from typing import Literal

from mujina.kernel.http.params import UNSET, Params, Texts, Unset


class MirrorChange(Params):
    """The fields that creating and editing a mirror share."""

    enabled: bool | Unset = UNSET
    only_protected_branches: bool | Unset = UNSET
    keep_divergent_refs: bool | Unset = UNSET
    auth_method: Literal["password", "ssh_public_key"] | Unset = UNSET
    """With `password` it stands in the URL; with `ssh_public_key` the instance makes a key pair for the mirror."""
    host_keys: Texts | Unset = UNSET
    """The public keys of the server, of which it must have one: for SSH."""


class CreateMirror(MirrorChange):
    url: str


class EditMirror(MirrorChange):
    pass


class MirrorForm(Params):
    """The form of a new mirror, which pushes from the start."""

    url: str = ""
    host_keys: str = ""
    only_protected_branches: bool = False
    keep_divergent_refs: bool = False
