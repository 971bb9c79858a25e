"""Parameters of forms that need a confirmation."""

from mujina.kernel import errors
from mujina.kernel.params import Params


class TypedPath(Params):
    """The path of what is about to be removed or moved, typed by hand."""

    confirmation: str = ""

    def check(self, full_path: str) -> None:
        """Refuse the form unless the path was typed as it is."""
        if self.confirmation.strip() != full_path:
            raise errors.invalid({"confirmation": ["is not the path"]})


class ProjectTransfer(TypedPath):
    group: str = ""
