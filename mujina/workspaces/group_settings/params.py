"""The forms of a group's settings."""

from mujina.kernel.http.params import UNSET, Params, RequiredText, Unset
from mujina.workspaces.groups.params import EditGroup


class SaveGroup(EditGroup):
    remove_avatar: bool | Unset = UNSET


class ChangeGroupPath(Params):
    path: RequiredText


class TransferGroupForm(Params):
    group: str = ""
    """The path of the group to move it into; empty: to the top level."""
    confirm_transfer: str = ""


class RemoveGroup(Params):
    confirm_remove: str = ""
