"""The parameters of requests about award emoji."""

from mujina.kernel.http.params import Params


class CreateAward(Params):
    name: str
