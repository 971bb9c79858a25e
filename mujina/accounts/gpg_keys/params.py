"""What requests about OpenPGP keys may say."""

from mujina.kernel.params import Params


class AddGpgKey(Params):
    key: str
