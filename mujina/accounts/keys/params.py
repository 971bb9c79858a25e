"""Parameters of requests about SSH keys."""

from mujina.kernel.params import Params


class AddKey(Params):
    title: str
    key: str
