"""Parameters of requests about SSH keys."""

from mujina.kernel.http.params import UNSET, Params, Timestamp, Unset


class AddKey(Params):
    title: str
    key: str
    expires_at: Timestamp | Unset | None = UNSET
