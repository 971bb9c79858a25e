"""Scheduled work on labels."""

from datetime import timedelta

from mujina.kernel.db.postgres_folding import fold
from mujina.kernel.jobs.tasks import Run, task


@task("labels.fold_counts", every=timedelta(minutes=1))
async def fold_label_counts(run: Run, key: str) -> None:  # noqa: ARG001 - scheduled tasks have no key
    """Add what changed to the counts of issues by label."""
    async with run.database.transaction() as tx:
        await fold(tx, "issue_label_counts", "labels", "label_id", "project_id", "state", "confidential")
