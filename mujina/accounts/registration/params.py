"""The form for signing up."""

from mujina.kernel.http.params import Params


class SignUp(Params):
    name: str = ""
    username: str = ""
    email: str = ""
    password: str = ""
