"""What requests about SSH keys may say."""

from mujina.kernel.params import Params


class AddKey(Params):
    title: str
    key: str
