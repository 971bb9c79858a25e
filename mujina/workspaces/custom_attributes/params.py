"""The parameters of requests about custom attributes."""

from mujina.kernel.http.params import Params


class SetAttribute(Params):
    value: str
