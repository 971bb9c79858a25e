"""What requests about custom attributes may say."""

from mujina.kernel.params import Params


class SetAttribute(Params):
    value: str
