"""The forms of a project's settings."""

from mujina.kernel.http.params import UNSET, Params, RequiredText, Unset
from mujina.workspaces.projects.params import EditProject


class SaveProject(EditProject):
    """A section of the settings; the others stay as they are."""

    remove_avatar: bool | Unset = UNSET


class RenameProject(Params):
    path: RequiredText


class TransferProject(Params):
    group: RequiredText
    confirm_transfer: str = ""


class RemoveProject(Params):
    confirm_remove: str = ""
