"""Forms of signing in."""

from mujina.kernel.http.params import Params


class SignIn(Params):
    login: str = ""
    password: str = ""


class DirectorySignIn(Params):
    """The fields of clients that send the form of a directory themselves."""

    username: str = ""
    password: str = ""


class SecondFactor(Params):
    ticket: str = ""
    code: str = ""
