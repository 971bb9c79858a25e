"""What forms of signing in may say."""

from mujina.kernel.params import Params


class SignIn(Params):
    login: str = ""
    password: str = ""


class SecondFactor(Params):
    ticket: str = ""
    code: str = ""
