"""Parameters of requests about OpenPGP keys."""

from mujina.kernel.params import Params


class AddGpgKey(Params):
    key: str
