"""The only ways to find feature flags; those who may read them are named beside the lists of users."""

from mujina.kernel.db.rows import Row, find_row
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.db.transaction import Tx


class FeatureFlagRow(Row, alias="ff"):
    id: int
    project_id: int
    name: str
    description: str | None
    active: bool
    created_at: str
    updated_at: str


def flags_of(project_id: int) -> Selection:
    return Selection("feature_flags ff", "ff.project_id = :project_id", project_id=project_id)


async def find_flag(tx: Tx, project_id: int, name: str) -> FeatureFlagRow:
    """The flag of the project; 404 if there is none."""
    return await find_row(tx, FeatureFlagRow, flags_of(project_id).where("ff.name = :name", name=name), "Feature Flag")
