"""The roles of several users in a project, as pages name them."""

from collections.abc import Mapping
from typing import LiteralString

from mujina.kernel import clock
from mujina.kernel.db.transaction import Tx
from mujina.kernel.permissions.levels import ROLES
from mujina.workspaces.members.access import project_level

_LEVEL: LiteralString = project_level("p", "u.id")


async def roles_in(tx: Tx, project_id: int, user_ids: set[int], known: Mapping[int, int]) -> dict[int, str]:
    """The role of each of these users who is a member of the project; `known`: the levels of some of them."""
    levels = {user_id: known[user_id] for user_id in user_ids if user_id in known}
    if missing := sorted(user_ids - levels.keys()):
        levels |= await tx.rows(
            tuple[int, int],
            f"SELECT u.id, {_LEVEL} FROM users u CROSS JOIN projects p WHERE p.id = :project_id AND u.id IN :ids",
            project_id=project_id,
            ids=missing,
            today=clock.today(),
        )
    return {user_id: ROLES[level] for user_id, level in levels.items() if level in ROLES}
