"""What the forms behind mailed links may say."""

from mujina.kernel.params import Params


class AskForLink(Params):
    email: str = ""


class NewPassword(Params):
    reset_password_token: str = ""
    password: str = ""
    password_confirmation: str = ""


class Confirm(Params):
    confirmation_token: str = ""
