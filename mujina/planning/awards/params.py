"""What requests about award emoji may say."""

from mujina.kernel.params import Params


class CreateAward(Params):
    name: str
