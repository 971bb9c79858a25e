"""What requests about e-mail addresses may say."""

from mujina.kernel.params import Params


class AddEmail(Params):
    email: str
