"""Forms of two-factor authentication."""

from mujina.kernel.http.params import Params


class Enable(Params):
    code: str = ""
    current_password: str = ""


class CurrentPassword(Params):
    current_password: str = ""
