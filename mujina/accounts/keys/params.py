"""Parameters of requests about SSH keys."""

from mujina.kernel.http.params import Params


class AddKey(Params):
    title: str
    key: str
