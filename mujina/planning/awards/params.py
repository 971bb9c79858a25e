"""The parameters of requests about award emoji."""

from mujina.kernel.params import Params


class CreateAward(Params):
    name: str
