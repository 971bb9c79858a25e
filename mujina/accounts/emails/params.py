"""Parameters of requests about e-mail addresses."""

from mujina.kernel.http.params import Params


class AddEmail(Params):
    email: str
