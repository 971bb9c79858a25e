"""The forms of a repository's settings."""

from mujina.code.protected_branches.params import Level
from mujina.kernel.http.params import Params, RequiredText


class ProtectBranchForm(Params):
    name: RequiredText
    push_access_level: Level = 40
    merge_access_level: Level = 40
    allow_force_push: bool = False
    code_owner_approval_required: bool = False


class ProtectTagForm(Params):
    tag_name: RequiredText
    create_access_level: Level = 40


class SaveMirror(Params):
    import_url: str = ""
    """Empty: the stored one stays."""
    import_host_keys: str = ""
    """One on each line. Empty: the stored ones stay."""
    mirror: bool = False
