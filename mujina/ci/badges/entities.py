"""The facts that badges show. A branch comes before a tag of the same name."""

from mujina.kernel.db.transaction import Tx


async def newest_status(tx: Tx, project_id: int, ref: str) -> str | None:
    """The status of the newest pipeline of the ref; None if it has none."""
    return await tx.value(
        """SELECT pl.status FROM pipelines pl WHERE pl.project_id = :project_id AND pl.ref = :ref
           ORDER BY pl.tag, pl.id DESC LIMIT 1""",
        project_id=project_id, ref=ref,
    )  # fmt: skip


async def newest_coverage(tx: Tx, project_id: int, ref: str, job: str | None) -> str | None:
    """The coverage of the newest pipeline of the ref that has succeeded, or of the job of this name in it."""
    return await tx.value(
        """SELECT CASE WHEN CAST(:job AS text) IS NULL THEN pl.coverage ELSE (
               SELECT j.coverage FROM pipeline_jobs j WHERE j.pipeline_id = pl.id AND j.name = :job AND NOT j.retried
               ORDER BY j.id DESC LIMIT 1) END
           FROM pipelines pl WHERE pl.project_id = :project_id AND pl.ref = :ref AND pl.status = 'success'
           ORDER BY pl.tag, pl.id DESC LIMIT 1""",
        project_id=project_id, ref=ref, job=job,
    )  # fmt: skip
