"""Parameters of requests about e-mail addresses."""

from mujina.kernel.params import Params


class AddEmail(Params):
    email: str
