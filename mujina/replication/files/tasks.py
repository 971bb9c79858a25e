"""The periodic removal of files that no row names."""

from datetime import timedelta

from mujina.kernel.jobs.tasks import PermanentFailure, Run, task
from mujina.kernel.monitoring.logs import log
from mujina.replication.files.operations import TooManyLeftovers, remove_leftovers


@task("files.sweep", every=timedelta(days=1), limit=timedelta(hours=6), long=True)
async def sweep_files(run: Run, _key: str) -> None:
    """Remove the files that interrupted uploads and removals left."""
    try:
        removed = await remove_leftovers(run.services)
    except TooManyLeftovers as error:
        raise PermanentFailure(str(error)) from None
    if removed:
        log.info("files without a row were removed", files=removed)
