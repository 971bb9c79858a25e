"""What the forms of second factors may say."""

from mujina.kernel.params import Params


class Enable(Params):
    code: str = ""
    current_password: str = ""


class Proven(Params):
    current_password: str = ""
