"""The parameters with which the primary sends a browser back."""

from mujina.kernel.http.params import Params


class SignInAnswer(Params):
    code: str = ""
    state: str = ""
