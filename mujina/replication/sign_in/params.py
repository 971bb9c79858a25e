"""What the primary sends a browser back with."""

from mujina.kernel.params import Params


class SignInAnswer(Params):
    code: str = ""
    state: str = ""
