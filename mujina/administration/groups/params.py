"""Parameters of forms that need the path of what they are about, typed by hand."""

from mujina.kernel import errors
from mujina.kernel.http.params import Params

_WRONG_PATH = "is not the path"


class ConfirmedDeletion(Params):
    confirm_delete: str = ""

    def check(self, full_path: str) -> None:
        """Refuse the form unless the path was typed as it is."""
        if self.confirm_delete.strip() != full_path:
            raise errors.invalid({"confirm_delete": [_WRONG_PATH]})


class ConfirmedTransfer(Params):
    group: str = ""
    confirm_transfer: str = ""

    def check(self, full_path: str) -> None:
        """Refuse the form unless the path was typed as it is."""
        if self.confirm_transfer.strip() != full_path:
            raise errors.invalid({"confirm_transfer": [_WRONG_PATH]})
