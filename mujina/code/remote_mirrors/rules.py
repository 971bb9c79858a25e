"""Who manages push mirrors, and the only ways to find one."""

from typing import Final

from mujina.kernel import errors
from mujina.kernel.db.rows import Row
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
    selection = mirrors_of(project_id).where("rm.id = :id", id=mirror_id)
    found = await tx.row(MirrorRow, f"SELECT {MirrorRow.columns} {selection.text}", **selection.bound)
    return errors.or_not_found(found, "Remote Mirror")


async def enabled_mirrors(tx: Tx, project_id: int) -> list[MirrorRow]:
    """The mirrors that follow the repository, oldest first."""
    selection = mirrors_of(project_id).where("rm.enabled")
    return await tx.rows(MirrorRow, f"SELECT {MirrorRow.columns} {selection.text} ORDER BY rm.id", **selection.bound)
