"""The measured sizes of a project's repositories."""

from collections.abc import Sequence

import msgspec

from mujina.kernel.db.entities import to_entity
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx


class Statistics(msgspec.Struct):
    """Commits are those of the default branch. Sizes are in bytes; that of the storage is the sum of the others."""

    commit_count: int = 0
    storage_size: int = 0
    repository_size: int = 0
    lfs_objects_size: int = 0
    job_artifacts_size: int = 0


class _StatisticsRow(Row, alias="s"):
    project_id: int
    commit_count: int
    repository_size: int
    lfs_objects_size: int
    job_artifacts_size: int

    @property
    def storage_size(self) -> int:
        return self.repository_size + self.lfs_objects_size + self.job_artifacts_size


async def statistics_of(tx: Tx, project_ids: Sequence[int]) -> dict[int, Statistics]:
    """The statistics by project, in one statement; a project without pushes has zeros."""
    rows = await tx.rows(
        _StatisticsRow,
        f"SELECT {_StatisticsRow.columns} FROM project_statistics s WHERE s.project_id IN :ids",
        ids=list(project_ids),
    )
    measured = {row.project_id: to_entity(Statistics, row, storage_size=row.storage_size) for row in rows}
    return {id_: measured.get(id_, Statistics()) for id_ in project_ids}
