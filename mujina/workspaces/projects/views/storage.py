"""Where the repository of a project is, and who starred the project."""

import msgspec

from mujina.accounts.users.entities import UserRef


class ProjectStorage(msgspec.Struct):
    project_id: int
    disk_path: str
    """Below the folder of the storage, without the ending."""
    created_at: str
    repository_storage: str


class Starrer(msgspec.Struct):
    """A user who starred a project, and when."""

    starred_since: str
    user: UserRef
