"""What the primary sends a browser back with."""

from mujina.kernel.http.params import Params


class SignInAnswer(Params):
    code: str = ""
    state: str = ""
