"""Scheduled work on labels."""

from datetime import timedelta

from mujina.kernel.db.folding import fold
from mujina.kernel.jobs.tasks import Run, task


@task("labels.fold_counts", every=timedelta(minutes=1))
async def fold_label_counts(run: Run, key: str) -> None:  # noqa: ARG001 - scheduled tasks have no key
    """Join the rows of the counts of issues by label."""
    async with run.database.transaction() as tx:
        await fold(tx, "issue_label_counts", "label_id", "project_id", "state", "confidential")
