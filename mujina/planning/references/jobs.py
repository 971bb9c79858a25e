"""Background work on what texts refer to."""

from mujina.adapters import git_history
from mujina.adapters.git_storage import RepositoryStorage
from mujina.kernel.jobs.tasks import Run, task
from mujina.planning.references import pushes

MOST_COMMITS = 100
"""Of a branch that moved so many commits are read, the newest."""


@task("references.read_push")
async def read_push(run: Run, key: str) -> None:
    """What the commits of this push say is done: read again after a crash, they change nothing more."""
    async with run.database.reading() as tx:
        moved = await pushes.find(tx, int(key))
    for push in moved:
        place = await RepositoryStorage.of(run.services.settings.data, push.storage).repository(push.project_id)
        messages = await git_history.messages(place, push.since, push.new, MOST_COMMITS)
        async with run.database.transaction() as tx:
            for commit_id, message in reversed(messages):
                await pushes.hear(tx, push, commit_id, message, run.services.settings.external_url or "")
