"""Who manages push mirrors, and the only ways to find one."""

from typing import Final

from mujina.kernel.db.rows import Row, find_row
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.workspaces.projects.rules import ADMIN_PROJECT

ADMIN_MIRRORS: Final = ADMIN_PROJECT


class MirrorRow(Row, alias="rm"):
    id: int
    project_id: int
    user_id: int | None
    url: str
    """Encrypted."""
    auth_method: str
    private_key: str | None
    """Encrypted; None: the mirror is reached over HTTP."""
    public_key: str | None
    host_keys: str
    """One on each line."""
    enabled: bool
    only_protected_branches: bool
    keep_divergent_refs: bool
    update_status: str
    last_update_at: str | None
    last_update_started_at: str | None
    last_successful_update_at: str | None
    last_error: str | None
    updated_at: str


def mirrors_of(project_id: int) -> Selection:
    return Selection("remote_mirrors rm", "rm.project_id = :project_id", project_id=project_id)


async def find_mirror(tx: Tx, project_id: int, mirror_id: int) -> MirrorRow:
    """The mirror of the project; 404 if there is none."""
    return await find_row(tx, MirrorRow, mirrors_of(project_id).where("rm.id = :id", id=mirror_id), "Remote Mirror")


async def public_keys_of(tx: Tx, project_id: int) -> dict[int, str]:
    """The keys with which the mirrors of the project sign in over SSH, by the id of the mirror."""
    sql = "SELECT rm.id, rm.public_key FROM remote_mirrors rm WHERE rm.project_id = :id AND rm.public_key IS NOT NULL"
    return dict(await tx.rows(tuple[int, str], sql, id=project_id))


async def enabled_mirrors(tx: Tx, project_id: int) -> list[MirrorRow]:
    """The mirrors that follow the repository, oldest first."""
    selection = mirrors_of(project_id).where("rm.enabled")
    return await tx.rows(MirrorRow, f"SELECT {MirrorRow.columns} {selection.text} ORDER BY rm.id", **selection.bound)
