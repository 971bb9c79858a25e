"""Who manages lists of users for feature flags, and the only way to find one."""

from typing import Final

from mujina.kernel.db.rows import Row, find_row
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.permissions.rules import admin
from mujina.workspaces.members.access import developer
from mujina.workspaces.projects.rules import archived

READ_FEATURE_FLAGS: Final = developer | admin
"""Also permission to read lists of users."""
WRITE_FEATURE_FLAGS: Final = READ_FEATURE_FLAGS & ~archived


class UserListRow(Row, alias="ul"):
    id: int
    project_id: int
    iid: int
    name: str
    user_xids: str
    created_at: str
    updated_at: str


def user_lists_of(project_id: int) -> Selection:
    return Selection("user_lists ul", "ul.project_id = :project_id", project_id=project_id)


async def find_user_list(tx: Tx, project_id: int, iid: int) -> UserListRow:
    """The list of the project; 404 if there is none."""
    return await find_row(tx, UserListRow, user_lists_of(project_id).where("ul.iid = :iid", iid=iid), "UserList")
