"""Forms of signing in."""

from mujina.kernel.params import Params


class SignIn(Params):
    login: str = ""
    password: str = ""


class SecondFactor(Params):
    ticket: str = ""
    code: str = ""
