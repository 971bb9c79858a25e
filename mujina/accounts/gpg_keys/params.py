"""Parameters of requests about OpenPGP keys."""

from mujina.kernel.http.params import Params


class AddGpgKey(Params):
    key: str
