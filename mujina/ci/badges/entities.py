"""The facts that badges show. A branch comes before a tag of the same name."""

from typing import LiteralString

from mujina.code.pipelines.rules import newest_of_ref
from mujina.kernel.db.transaction import Tx

_SUCCEEDED: LiteralString = (
    "pl.status = 'success' AND (CAST(:job AS text) IS NULL OR pl.source <> 'external')"  # which has no jobs
)


async def newest_status(tx: Tx, project_id: int, ref: str) -> str | None:
    """The status of the newest pipeline of the ref; None if it has none."""
    return await tx.value(
        f"SELECT newest.status FROM pipelines newest WHERE newest.id = {newest_of_ref()}",
        project_id=project_id,
        ref=ref,
    )


async def newest_coverage(tx: Tx, project_id: int, ref: str, job: str | None) -> str | None:
    """The coverage of the newest pipeline of the ref that has succeeded, or of the job of this name in it."""
    return await tx.value(
        f"""SELECT CASE WHEN CAST(:job AS text) IS NULL THEN newest.coverage ELSE (
               SELECT j.coverage FROM pipeline_jobs j WHERE j.pipeline_id = newest.id AND j.name = :job AND NOT j.retried
               ORDER BY j.id DESC LIMIT 1) END
           FROM pipelines newest WHERE newest.id = {newest_of_ref(_SUCCEEDED)}""",
        project_id=project_id,
        ref=ref,
        job=job,
    )
