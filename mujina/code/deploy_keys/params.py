"""Parameters of requests about deploy keys."""

from typing import ClassVar

from mujina.accounts.keys.params import AddKey
from mujina.kernel.http.params import EVERY_FIELD, UNSET, Params, RequiredText, Timestamp, Unset


class AddDeployKey(AddKey):
    can_push: bool | Unset = UNSET


class PublicKeyForm(Params):
    """The form of the page."""

    title: str = ""
    key: str = ""
    expires_at: Timestamp | Unset | None = UNSET


class FindKey(Params):
    """MD5 with colons, or `SHA256:` and base64."""

    fingerprint: RequiredText


class EditDeployKey(Params):
    """A field left out is left alone."""

    title: RequiredText | Unset = UNSET
    can_push: bool | Unset = UNSET

    at_least_one_of: ClassVar = EVERY_FIELD
