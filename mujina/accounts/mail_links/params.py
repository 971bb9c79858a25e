"""Forms for mailed links."""

from mujina.kernel.http.params import Params


class RequestLink(Params):
    email: str = ""


class NewPassword(Params):
    reset_password_token: str = ""
    password: str = ""
    password_confirmation: str = ""


class Confirm(Params):
    confirmation_token: str = ""
