"""Parameters of imports."""

from mujina.kernel.http.params import UNSET, Params, Unset


class ImportProject(Params):
    path: str
    name: str | Unset = UNSET
    namespace: str | Unset = UNSET
    """The id or the path of a group or user."""
    overwrite: bool = False
