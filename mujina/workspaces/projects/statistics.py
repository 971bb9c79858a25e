"""The measured sizes of a project's repositories."""

from collections.abc import Sequence

import msgspec

from mujina.kernel.db.transaction import Tx


class Statistics(msgspec.Struct):
    """Commits are those of the default branch. Sizes are in bytes; that of the storage is the sum of the others."""

    commit_count: int = 0
    storage_size: int = 0
    repository_size: int = 0
    lfs_objects_size: int = 0
    job_artifacts_size: int = 0


async def statistics_of(tx: Tx, project_ids: Sequence[int]) -> dict[int, Statistics]:
    """By project, all of them in one statement; a project never pushed to has zeros."""
    rows = await tx.rows(
        tuple[int, int, int, int],
        """
        SELECT s.project_id, s.commit_count, s.repository_size, s.lfs_objects_size
        FROM project_statistics s WHERE s.project_id IN :ids
        """,
        ids=list(project_ids),
    )
    measured = {id_: Statistics(commits, size + lfs, size, lfs) for id_, commits, size, lfs in rows}
    return {id_: measured.get(id_, Statistics()) for id_ in project_ids}
