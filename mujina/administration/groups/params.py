"""Parameters of forms that need the path of what they are about, typed by hand."""

from mujina.kernel.http.params import Params


class ConfirmedDeletion(Params):
    confirm_delete: str = ""


class ConfirmedTransfer(Params):
    group: str = ""
    confirm_transfer: str = ""
