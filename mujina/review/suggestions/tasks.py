"""Background jobs for suggestions."""

from mujina.kernel.jobs.tasks import Run, task
from mujina.review.suggestions import operations


@task("suggestions.read_note")
async def read_note(run: Run, key: str) -> None:
    """Store what a comment suggests, after it is written or edited."""
    await operations.read_note(run.services, int(key))
